// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as people read them. Documents come from anywhere: what is no number is null. */

const num = (v) => (typeof v === 'number' && Number.isFinite(v) ? v : null);
const list = (v) => (Array.isArray(v) ? v : []);
const text = (v) => (typeof v === 'string' ? v : null);
const obj = (v) => (v !== null && typeof v === 'object' && !Array.isArray(v) ? v : {});

const thousands = new Intl.NumberFormat('en-GB');
const count = (v) => (num(v) === null ? '–' : thousands.format(Math.round(v)));
const percent = (v, digits = 1) => (num(v) === null ? '–' : (100 * v).toFixed(digits) + ' %');

function scaled(v, base, units) {
	let i = 0;
	while (Math.abs(v) >= base && i < units.length - 1) {
		v /= base;
		i++;
	}
	const digits = i === 0 || Math.abs(v) >= 100 || Number.isInteger(v) ? 0 : Math.abs(v) >= 10 ? 1 : 2;
	return v.toFixed(digits) + units[i];
}

const bytes = (v) => (num(v) === null ? '–' : scaled(v, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB', ' EiB']));
const short = (v) => (num(v) === null ? '–' : scaled(v, 1000, ['', 'k', 'M', 'G', 'T']));
/* Powers of two of pages: 512, 4Ki. */
const binary = (v) => (num(v) === null ? '–' : scaled(v, 1024, ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']));

function time(ns) {
	if (num(ns) === null)
		return '–';
	if (Math.abs(ns) < 1e3)
		return Math.round(ns) + ' ns';
	if (Math.abs(ns) < 1e6)
		return scaled(ns / 1e3, 1e3, [' µs']);
	if (Math.abs(ns) < 1e9)
		return +(ns / 1e6).toPrecision(3) + ' ms';
	if (Math.abs(ns) < 120e9)
		return +(ns / 1e9).toPrecision(3) + ' s';
	if (Math.abs(ns) < 7200e9)
		return +(ns / 60e9).toPrecision(3) + ' min';
	return +(ns / 3600e9).toPrecision(3) + ' h';
}

/* A figure in the unit that a metric names. */
function inUnit(v, unit) {
	if (num(v) === null)
		return '–';
	switch (unit) {
	case 'ns':
		return time(v);
	case 'us':
		return time(v * 1e3);
	case 'B':
		return bytes(v);
	case 'B/s':
		return bytes(v) + '/s';
	default:
		return Math.abs(v) < 100 && !Number.isInteger(v) ? v.toPrecision(3) : count(v);
	}
}
