// SPDX-License-Identifier: GPL-2.0-or-later
/* Charts on top of Chart.js: one look, one colour an input, keys, lines of limits. */

/* Okabe and Ito's palette, which colour-blind readers can tell apart; yellow is left out. */
const palette = {
	light: ['#0072b2', '#d55e00', '#009e73', '#b3589a', '#b07a00', '#3a9bd0', '#4a4f55'],
	dark: ['#56b4e9', '#f08a4b', '#2fc49a', '#dd96bf', '#e6b340', '#8fc7ff', '#b9c0c6'],
};
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

const theme = () => document.documentElement.dataset.theme || 'light';
const cssVar = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const color = (input) => palette[theme()][input.index % palette.light.length];
/* Beyond the palette lines differ by their dashes. */
const dash = (input) => dashes[Math.floor(input.index / palette.light.length) % dashes.length];
const fade = (hex, alpha) => hex + Math.round(255 * alpha).toString(16).padStart(2, '0');

const charts = []; /* { make(canvas) -> Chart, canvas, chart } */
const hidden = new Set(); /* of inputs' indices */

/* Vertical and horizontal lines with a word: options.limits = [{ axis: 'x', at, label, color }]. */
const limitLines = {
	id: 'limits',
	afterDatasetsDraw(chart, args, options) {
		const { ctx, chartArea: area } = chart;
		let row = 0;

		for (const l of options.list || []) {
			const scale = chart.scales[l.axis];
			const at = l.bucket ? bucketPixel(scale, l.at) : scale.getPixelForValue(l.at);
			const upright = l.axis === 'x';

			if (!(at >= (upright ? area.left : area.top) - 1 && at <= (upright ? area.right : area.bottom) + 1))
				continue;
			ctx.save();
			ctx.strokeStyle = ctx.fillStyle = l.color;
			ctx.setLineDash([5, 4]);
			ctx.lineWidth = 1;
			ctx.beginPath();
			ctx.moveTo(upright ? at : area.left, upright ? area.top : at);
			ctx.lineTo(upright ? at : area.right, upright ? area.bottom : at);
			ctx.stroke();
			ctx.font = '12px ' + Chart.defaults.font.family;
			if (upright) {
				const right = at < area.left + (area.right - area.left) * 0.7;

				ctx.textAlign = right ? 'left' : 'right';
				ctx.fillText(l.label, at + (right ? -3 : 3), area.top - 6 - 14 * row++);
			} else {
				ctx.textAlign = 'right';
				ctx.fillText(l.label, area.right - 4, at - 5);
			}
			ctx.restore();
		}
	},
};

/* Where a value lies among buckets [0,1), [1,2), [2,4) ... of a category axis. */
function bucketPixel(scale, value) {
	const position = value < 1 ? value - 0.5 : Math.log2(value) + 0.5;
	const step = scale.getPixelForValue(1) - scale.getPixelForValue(0);

	return scale.getPixelForValue(0) + (position - (scale.options.first || 0)) * step;
}

function axis(title, more = {}) {
	const { ticks = {}, ...rest } = more;

	return {
		title: { display: true, text: title, color: cssVar('--soft') },
		grid: { color: cssVar('--faint'), borderColor: cssVar('--line'), tickColor: cssVar('--line') },
		ticks: { color: cssVar('--soft'), maxRotation: 0, autoSkipPadding: 14, ...ticks },
		...rest,
	};
}

/* Ticks of an axis in bytes: about so many, multiples of a power of two. */
const binaryTicks = (about) => (scale) => {
	const step = Math.pow(2, Math.max(0, Math.round(Math.log2(Math.max(1, (scale.max - scale.min) / about)))));

	scale.ticks = [];
	for (let v = Math.ceil(scale.min / step) * step; v <= scale.max; v += step)
		scale.ticks.push({ value: v });
};

function options(x, y, { limits = [], tooltip = {}, interaction = {} } = {}) {
	return {
		animation: false,
		/* Words of upright lines stand above the plot. */
		layout: { padding: { top: 18 * limits.filter((l) => l.axis === 'x').length, right: 8 } },
		responsive: true,
		maintainAspectRatio: false,
		interaction: { mode: 'index', intersect: false, ...interaction },
		scales: { x, y },
		plugins: {
			legend: { display: false },
			limits: { list: limits },
			tooltip: {
				backgroundColor: cssVar('--panel'), titleColor: cssVar('--ink'), bodyColor: cssVar('--ink'),
				borderColor: cssVar('--line'), borderWidth: 1, padding: 10, usePointStyle: true, ...tooltip,
			},
		},
	};
}

/* Left and right move through the points, Home and End to the ends, Escape leaves. */
function onKey(event, canvas) {
	const chart = Chart.getChart(canvas);
	const n = Math.max(0, ...chart.data.datasets.map((d) => d.data.length));
	const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
	let active = [];

	if (event.key !== 'Escape' && !(event.key in moves))
		return;
	event.preventDefault();
	if (event.key !== 'Escape' && n) {
		const was = canvas.at === undefined ? -1 : canvas.at;

		canvas.at = Math.min(n - 1, Math.max(0, was + moves[event.key]));
		chart.data.datasets.forEach((d, i) => {
			if (chart.isDatasetVisible(i) && canvas.at < d.data.length && d.data[canvas.at] !== null)
				active.push({ datasetIndex: i, index: canvas.at });
		});
	}
	chart.setActiveElements(active);
	chart.tooltip.setActiveElements(active, { x: 0, y: 0 });
	chart.update('none');
}

/* A chart that is drawn anew when colours or inputs change. configure() gives Chart.js' config. */
function plot(label, configure, small) {
	const canvas = el('canvas', { role: 'img', tabindex: '0', 'aria-label': label + '. Arrow keys read the values.' });
	const entry = { canvas, chart: null, configure };

	canvas.addEventListener('keydown', (event) => (entry.onKey || onKey)(event, canvas));
	charts.push(entry);
	return { node: el('div', { class: small ? 'plot small' : 'plot' }, canvas), entry };
}

function draw(entry) {
	if (entry.chart)
		entry.chart.destroy();
	entry.chart = new Chart(entry.canvas, entry.configure());
}

function drawAll() {
	Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
	Chart.defaults.font.size = 12;
	for (const entry of charts)
		draw(entry);
	for (const s of document.querySelectorAll('.swatch'))
		s.style.background = palette[theme()][s.dataset.input % palette.light.length];
}

const shown = (inputs) => inputs.filter((i) => !hidden.has(i.index));

function line(input, data, more = {}) {
	return {
		label: input.name, data, borderColor: color(input), backgroundColor: color(input), borderWidth: 1.75,
		borderDash: dash(input), pointRadius: 0, pointHitRadius: 6, pointStyle: 'rect', spanGaps: false, ...more,
	};
}
