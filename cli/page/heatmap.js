// SPDX-License-Identifier: GPL-2.0-or-later
/* A heat map: Chart.js gives axes and resizing, cells are painted into its area. */

const cellPainter = {
	id: 'cells',
	beforeDatasetsDraw(chart, args, options) {
		const map = options.map;

		if (!map)
			return;
		const { ctx, chartArea: a } = chart;
		const w = (a.right - a.left) / map.columns, h = (a.bottom - a.top) / map.rows;

		ctx.save();
		ctx.fillStyle = cssVar('--faint');
		ctx.fillRect(a.left, a.top, a.right - a.left, a.bottom - a.top);
		map.cells.forEach((row, y) => row.forEach((v, x) => {
			if (!(num(v) > 0))
				return;
			ctx.fillStyle = fade(cssVar('--heat'), 0.12 + 0.88 * Math.log1p(v) / Math.log1p(map.most));
			/* Edges on whole pixels: half covered ones would show as lines. */
			const left = Math.round(a.left + x * w), top = Math.round(a.bottom - (y + 1) * h);

			ctx.fillRect(left, top, Math.round(a.left + (x + 1) * w) - left, Math.round(a.bottom - y * h) - top);
		}));
		ctx.restore();
	},
	afterDatasetsDraw(chart, args, options) {
		const map = options.map, at = map && map.at;

		if (!at)
			return;
		const { ctx, chartArea: a } = chart;
		const w = (a.right - a.left) / map.columns, h = (a.bottom - a.top) / map.rows;

		ctx.save();
		ctx.strokeStyle = cssVar('--ink');
		ctx.lineWidth = 1.5;
		ctx.strokeRect(a.left + at.x * w, a.bottom - (at.y + 1) * h, w, h);
		ctx.restore();
	},
	afterEvent(chart, args, options) {
		const map = options.map;

		if (!map)
			return;
		const { event } = args, a = chart.chartArea;
		const inside = event.type === 'mousemove' && args.inChartArea;

		map.point(inside ? {
			x: Math.min(map.columns - 1, Math.floor((event.x - a.left) / (a.right - a.left) * map.columns)),
			y: Math.min(map.rows - 1, Math.floor((a.bottom - event.y) / (a.bottom - a.top) * map.rows)),
		} : null);
		args.changed = true;
	},
};

function mapOf(heat, what, pageSize, readout) {
	const cells = list(heat[what]).map(list);
	const columns = Math.max(1, ...cells.map((r) => r.length)), rows = Math.max(1, cells.length);
	const rowBytes = (num(heat.row_pages) || 1) * pageSize, columnNs = num(heat.column_ns) || 1;
	const map = { cells, columns, rows, rowBytes, columnNs, at: null };

	map.most = Math.max(1, ...cells.map((r) => Math.max(0, ...r.map((v) => num(v) || 0))));
	map.point = (at) => {
		map.at = at;
		readout.textContent = at ? bytes(at.y * rowBytes) + ' to ' + bytes((at.y + 1) * rowBytes) + ', ' +
			time(at.x * columnNs) + ' to ' + time((at.x + 1) * columnNs) + ': ' +
			count((cells[at.y] || [])[at.x] || 0) + (what === 'refaults' ? ' pages refaulted' : ' page accesses')
			: 'Darkest: ' + count(map.most) + ' pages in a cell of ' + bytes(rowBytes) + ' and ' + time(columnNs) + '; logarithmic shades.';
	};
	map.point(null);
	return map;
}

function heatConfig(map) {
	const config = {
		type: 'scatter',
		data: { datasets: [{ data: [] }] },
		options: options(
			axis('time since the start (s)', { type: 'linear', min: 0, max: map.columns * map.columnNs / 1e9, grid: { display: false }, ticks: { includeBounds: false } }),
			axis('offset in the file', {
				type: 'linear', min: 0, max: map.rows * map.rowBytes, grid: { display: false },
				ticks: { callback: (v) => bytes(v) }, afterBuildTicks: binaryTicks(5),
			})),
		plugins: [cellPainter],
	};

	config.options.plugins.cells = { map };
	config.options.plugins.tooltip = { enabled: false };
	config.options.events = ['mousemove', 'mouseout'];
	return config;
}

function onHeatKey(event, map, chart) {
	const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
	const move = moves[event.key];

	if (event.key === 'Escape')
		map.point(null);
	else if (move)
		map.point(map.at ? {
			x: Math.min(map.columns - 1, Math.max(0, map.at.x + move[0])),
			y: Math.min(map.rows - 1, Math.max(0, map.at.y + move[1])),
		} : { x: 0, y: 0 });
	else
		return;
	event.preventDefault();
	chart.draw();
}
