// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the data, puts the page together, and checks that it is whole. */

function showWarnings(inputs, data) {
	const all = [...inputs.flatMap((i) => list(i.warnings).map((w) => i.name + ': ' + (text(w) || '?'))),
		...list(data.warnings).map((w) => text(w) || '?')];

	if (all.length)
		document.getElementById('warnings').append(el('div', { class: 'strip', role: 'note' },
			el('strong', {}, 'Read with care'), el('ul', {}, ...all.map((w) => el('li', {}, w)))));
}

function showLegend(inputs) {
	document.getElementById('legend').append(...inputs.map((input) => {
		const b = el('button', { type: 'button', class: 'key', 'aria-pressed': 'true', on: { click: toggle } }, swatch(input), el('span', {}, input.name));

		function toggle() {
			const off = hidden.delete(input.index) ? false : Boolean(hidden.add(input.index));

			b.setAttribute('aria-pressed', String(!off));
			drawAll();
		}
		return b;
	}));
}

/* Light, dark, or as the system says. */
function setUpTheme() {
	const button = document.getElementById('theme'), system = matchMedia('(prefers-color-scheme: dark)');
	let chosen = location.hash === '#dark' || location.hash === '#light' ? location.hash.slice(1) : null;
	let printing = false;

	function apply() {
		const now = printing ? 'light' : chosen || (system.matches ? 'dark' : 'light');

		document.documentElement.dataset.theme = now;
		button.textContent = now === 'dark' ? 'Light' : 'Dark';
		button.setAttribute('aria-label', 'Switch to ' + (now === 'dark' ? 'light' : 'dark') + ' colours');
		drawAll();
	}
	button.addEventListener('click', () => {
		chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
		apply();
	});
	system.addEventListener('change', apply);
	for (const [event, is] of [['beforeprint', true], ['afterprint', false]])
		addEventListener(event, () => {
			printing = is;
			apply();
			for (const entry of charts)
				entry.chart.resize();
		});
	apply();
}

/* What a test asks after: how much of the page was made. */
function report(inputs) {
	const e = document.documentElement.dataset;

	e.inputs = inputs.length;
	e.charts = charts.length;
	e.drawn = charts.filter((c) => c.chart && c.chart.chartArea && c.chart.width > 0 && c.chart.height > 0).length;
	e.points = charts.reduce((n, c) => n + (c.chart ? c.chart.data.datasets.reduce((m, d) => m + d.data.length, 0) : 0), 0);
	e.sections = [...document.querySelectorAll('section')].map((s) => s.id).join(' ');
	e.overflow = document.documentElement.scrollWidth > document.documentElement.clientWidth ? 'yes' : 'no';
	e.ready = 'yes';
}

const data = JSON.parse(document.getElementById('data').textContent);
const inputs = list(data.inputs).map((i, index) => ({ ...obj(i), name: text(obj(i).name) || '?', index }));

document.title = 'pagetape: ' + inputs.map((i) => i.name).join(', ').slice(0, 200);
document.getElementById('subtitle').textContent = inputs.length === 1 ? inputs[0].name : inputs.length + ' inputs';
document.getElementById('version').textContent = text(data.pagetape) || '';
showWarnings(inputs, data);
showLegend(inputs);
document.getElementById('main').append(...[summarySection(inputs), comparisonSection(data.comparison, inputs), distanceSection(inputs),
	curveSection(inputs), timeSection(inputs), heatSection(inputs), topSection(inputs), factSection(inputs)].filter((s) => s));
setUpTheme();
report(inputs);
