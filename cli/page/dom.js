// SPDX-License-Identifier: GPL-2.0-or-later
/* Elements. Text goes in as text, never as markup: names in tapes may be anything. */

function el(tag, attributes = {}, ...children) {
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes)) {
		if (key === 'on')
			for (const [event, handler] of Object.entries(value))
				e.addEventListener(event, handler);
		else if (value !== null && value !== undefined)
			e.setAttribute(key, value);
	}
	e.append(...children.filter((c) => c !== null && c !== undefined));
	return e;
}

function swatch(input) {
	const s = el('span', { class: 'swatch', 'aria-hidden': 'true' });

	s.style.background = color(input);
	s.dataset.input = input.index;
	return s;
}

/*
 * columns: [{ name, kind }], kind 'text' (left), 'wrap' (long text) or none (a number). A cell is
 * text, an element, or { text, share } with a bar behind it.
 */
function table(columns, rows, caption) {
	const head = el('tr', {}, ...columns.map((c) => el('th', { scope: 'col', class: c.kind }, c.name)));
	const body = rows.map((row) => el('tr', {}, ...row.map((cell, i) => {
		const td = el(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: columns[i].kind });

		if (cell !== null && typeof cell === 'object' && !(cell instanceof Node)) {
			td.classList.add('share');
			if (cell.share > 0) {
				const bar = el('i', { 'aria-hidden': 'true' });

				bar.style.width = (100 * Math.min(1, cell.share)).toFixed(1) + '%';
				td.append(bar);
			}
			td.append(cell.text);
		} else {
			td.append(cell === null || cell === undefined ? '–' : cell);
		}
		return td;
	})));
	const t = el('table', {}, caption ? el('caption', {}, caption) : null,
		el('thead', {}, head), el('tbody', {}, ...body));

	/* Wide tables scroll by themselves, by keyboard as well. */
	return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption || 'Table' }, t);
}

/* A table below a chart, made when it is first opened. */
function dataTable(title, make) {
	const d = el('details', { on: { toggle: fill } }, el('summary', {}, title));

	function fill() {
		if (d.childElementCount === 1)
			d.append(make());
	}
	d.fill = fill;
	return d;
}

function section(id, title, about, ...children) {
	return el('section', { id, 'aria-labelledby': id + '-title' },
		el('h2', { id: id + '-title' }, title), about ? el('p', { class: 'about' }, about) : null, ...children);
}

function choice(label, options, onChange) {
	const s = el('select', { on: { change: () => onChange(s.value) } },
		...options.map(([value, name]) => el('option', { value }, name)));

	return el('label', {}, label, s);
}
