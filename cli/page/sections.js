// SPDX-License-Identifier: GPL-2.0-or-later
/* The page's sections, each made of what the inputs have; null where none has anything. */

const pageSizeOf = (input) => num(obj(input.facts).page_size) || num(obj(input.hist).page_size) ||
	num(obj(input.mrc).page_size) || num(obj(input.timeline).page_size) || 4096;
const histogramOf = (input, metric) => list(obj(input.hist).histograms).map(obj).find((h) => h.metric === metric && Array.isArray(h.buckets));
const limitOf = (input) => num(obj(input.facts).limit_bytes) ||
	(num(obj(obj(input.mrc).kernel).limit_pages) !== null ? obj(input.mrc).kernel.limit_pages * pageSizeOf(input) : null);
const named = (input) => el('span', {}, swatch(input), input.name);

/* ---- In short */

function summarySection(inputs) {
	const tapes = inputs.filter((i) => i.hist || i.mrc);

	if (!tapes.length)
		return null;
	const rows = tapes.map((input) => {
		const hist = obj(input.hist), mrc = obj(input.mrc), kernel = obj(mrc.kernel);
		const distance = obj(histogramOf(input, 'evicted_pages'));
		const ratio = (misses) => (num(misses) !== null && num(mrc.accesses) ? percent(misses / mrc.accesses) : '–');

		return [named(input), time(obj(input.facts).duration_ns), bytes(limitOf(input)),
			count(mrc.accesses), count(hist.evictions), count(hist.refaults),
			num(hist.refaults) !== null && num(hist.evictions) ? percent(hist.refaults / hist.evictions) : '–',
			num(distance.p50) !== null ? bytes(distance.p50 * pageSizeOf(input)) : '–',
			ratio(kernel.misses), ratio(kernel.lru), ratio(kernel.opt)];
	});

	return section('summary', 'In short',
		'Misses are those of a cache with the memory that the kernel had: the kernel’s own, LRU’s, and those of ' +
		'OPT, which no policy can undercut.',
		table([{ name: 'Input', kind: 'wrap' }, { name: 'Duration' }, { name: 'Limit' }, { name: 'Page accesses' },
			{ name: 'Evicted' }, { name: 'Refaulted' }, { name: 'of evicted' }, { name: 'Median distance' },
			{ name: 'Kernel misses' }, { name: 'LRU' }, { name: 'OPT' }], rows, 'Evicted and refaulted in pages'));
}

/* ---- Distances */

const metrics = {
	evicted_pages: ['Refault distance: pages evicted in between', true],
	nonresident_age: ['Refault distance: the kernel’s nonresident age', true],
	interval_ns: ['Time between eviction and refault', false],
	residency_ns: ['Time from addition to eviction', false],
};

/* Bucket i holds [0, 1) or [2^(i-1), 2^i). */
const bucketLow = (i) => (i ? Math.pow(2, i - 1) : 0);

function bucketLabel(i, pages, pageSize) {
	return pages ? [binary(bucketLow(i)), bytes(bucketLow(i) * pageSize)] : time(bucketLow(i));
}

function bucketRange(i, pages, pageSize) {
	return pages ? binary(bucketLow(i)) + ' to ' + binary(Math.pow(2, i)) + ' pages (' + bytes(bucketLow(i) * pageSize) + ' to ' + bytes(Math.pow(2, i) * pageSize) + ')'
		: time(bucketLow(i)) + ' to ' + time(Math.pow(2, i));
}

function distanceData(inputs, metric) {
	const have = inputs.filter((i) => histogramOf(i, metric));
	const counts = have.map((i) => list(histogramOf(i, metric).buckets).map((b) => num(obj(b).count) || 0));
	const used = (i) => counts.some((c) => c[i] > 0);
	let first = 0, last = Math.max(0, ...counts.map((c) => c.length - 1));

	while (first < last && !used(first))
		first++;
	while (last > first && !used(last))
		last--;
	return { have, counts, totals: counts.map((c) => c.reduce((a, b) => a + b, 0)), first, last };
}

function distanceSection(inputs) {
	const available = Object.keys(metrics).filter((m) => inputs.some((i) => histogramOf(i, m)));
	const state = { metric: available[0], unit: 'share' };

	if (!available.length)
		return null;
	const { node, entry } = plot('Histogram of refault distances', () => {
		const pages = metrics[state.metric][1];
		const d = distanceData(shown(inputs), state.metric), pageSize = d.have.length ? pageSizeOf(d.have[0]) : 4096;
		const labels = [];
		const bars = d.have.length <= 3;

		for (let i = d.first; i <= d.last; i++)
			labels.push(bucketLabel(i, pages, pageSize));
		const datasets = d.have.map((input, k) => line(input,
			labels.map((l, i) => {
				const n = d.counts[k][d.first + i] || 0;

				return state.unit === 'share' ? (d.totals[k] ? n / d.totals[k] : 0) : n;
			}),
			bars ? { backgroundColor: fade(color(input), 0.85), borderWidth: 0, categoryPercentage: 0.92, barPercentage: 0.98 }
				: { stepped: 'middle', fill: false }));
		const limits = pages ? d.have.filter((i) => limitOf(i)).map((i) => ({
			axis: 'x', bucket: true, at: limitOf(i) / pageSizeOf(i), label: 'limit ' + bytes(limitOf(i)), color: cssVar('--soft'),
		})) : [];

		return {
			type: bars ? 'bar' : 'line',
			data: { labels, datasets },
			options: options(
				axis(pages ? 'distance (pages, and bytes)' : 'time', { first: d.first, grid: { display: false } }),
				axis(state.unit === 'share' ? 'share of pages' : 'pages', {
					beginAtZero: true, ticks: { callback: (v) => (state.unit === 'share' ? percent(v, 0) : short(v)) },
				}),
				{
					limits: limits.filter((l, i) => limits.findIndex((m) => m.at === l.at) === i),
					tooltip: {
						callbacks: {
							title: (items) => (items.length ? bucketRange(d.first + items[0].dataIndex, pages, pageSize) : ''),
							label: (item) => ' ' + item.dataset.label + ': ' + count(d.counts[item.datasetIndex][d.first + item.dataIndex]) +
								' pages, ' + percent(d.totals[item.datasetIndex] ? (d.counts[item.datasetIndex][d.first + item.dataIndex] || 0) / d.totals[item.datasetIndex] : null),
						},
					},
				}),
			plugins: [limitLines],
		};
	});
	const box = el('div');

	function tables() {
		box.replaceChildren(dataTable('Figures', () => {
			const d = distanceData(inputs, state.metric), pages = metrics[state.metric][1];
			const rows = [];

			for (let i = d.first; i <= d.last; i++)
				rows.push([bucketRange(i, pages, d.have.length ? pageSizeOf(d.have[0]) : 4096), ...d.have.map((input, k) => ({
					text: count(d.counts[k][i] || 0), share: (d.counts[k][i] || 0) / Math.max(1, ...d.counts[k]),
				}))]);
			for (const q of ['p50', 'p90', 'p99', 'max'])
				rows.push([q, ...d.have.map((input) => (pages ? count : time)(histogramOf(input, state.metric)[q]))]);
			return table([{ name: 'Distance', kind: 'text' }, ...d.have.map((i) => ({ name: i.name }))], rows, metrics[state.metric][0]);
		}));
	}
	tables();
	return section('distances', 'Refault distances',
		'How much was evicted between a page’s eviction and its return. What lies left of the memory limit would have ' +
		'stayed with less than twice the memory; what lies far right, no placement saves.',
		el('div', { class: 'controls' },
			choice('Show', available.map((m) => [m, metrics[m][0]]), (v) => { state.metric = v; draw(entry); tables(); }),
			choice('as', [['share', 'share of each input'], ['count', 'pages']], (v) => { state.unit = v; draw(entry); })),
		node, box);
}

/* ---- Miss ratios */

function curveSection(inputs) {
	const have = inputs.filter((i) => list(obj(i.mrc).curve).length);
	const points = (input, curve) => list(curve).map(obj).filter((p) => num(p.pages) > 0 && num(p.miss_ratio) !== null)
		.map((p) => ({ x: Math.log2(p.pages * pageSizeOf(input)), y: p.miss_ratio }));
	const point = (input, pages, misses) => (num(pages) > 0 && num(misses) !== null && num(input.mrc.accesses) > 0 ?
		[{ x: Math.log2(pages * pageSizeOf(input)), y: misses / input.mrc.accesses }] : []);

	if (!have.length)
		return null;
	const { node, entry } = plot('Miss-ratio curves', () => {
		const datasets = [], limits = [];

		for (const input of shown(have)) {
			const kernel = obj(input.mrc.kernel);
			const mark = (what, style, misses, more) => datasets.push(line(input, point(input, kernel.pages, misses), {
				label: input.name + ', ' + what, showLine: false, pointStyle: style, pointRadius: 7, pointHoverRadius: 8,
				pointBorderWidth: 2, borderColor: color(input), backgroundColor: color(input), ...more,
			}));

			datasets.push(line(input, points(input, input.mrc.curve), { label: input.name + ', LRU', borderWidth: 2 }));
			for (const [name, curve] of Object.entries(obj(input.mrc.policies)))
				if (name !== 'lru')
					datasets.push(line(input, points(input, curve), { label: input.name + ', ' + name, borderDash: [3, 3], borderWidth: 1.25 }));
			mark('the kernel', 'circle', kernel.misses);
			mark('OPT', 'triangle', kernel.opt, { backgroundColor: cssVar('--paper') });
			if (limitOf(input) && !limits.some((l) => l.at === Math.log2(limitOf(input))))
				limits.push({ axis: 'x', at: Math.log2(limitOf(input)), label: 'limit ' + bytes(limitOf(input)), color: cssVar('--soft') });
		}
		return {
			type: 'line',
			data: { datasets },
			options: options(
				axis('memory', { type: 'linear', ticks: { stepSize: 1, callback: (v) => (Number.isInteger(v) ? bytes(Math.pow(2, v)) : null) } }),
				axis('page accesses that miss', { min: 0, suggestedMax: 1, ticks: { callback: (v) => percent(v, 0) } }),
				{
					limits, interaction: { mode: 'nearest', axis: 'xy', intersect: false },
					tooltip: {
						callbacks: {
							title: (items) => (items.length ? bytes(Math.pow(2, items[0].parsed.x)) : ''),
							label: (item) => ' ' + item.dataset.label + ': ' + percent(item.parsed.y, 2) + ' miss',
						},
					},
				}),
			plugins: [limitLines],
		};
	});

	return section('curves', 'Miss-ratio curves',
		'Lines: the share of accesses that LRU would miss with so much memory. Filled circle: what this kernel really ' +
		'missed with what it had, counted without read-ahead. Triangle: OPT there. The gap between circle and triangle is all that placement could save.',
		node, dataTable('Figures', () => {
			const rows = [];

			for (const input of have) {
				const k = obj(input.mrc.kernel);

				for (const [who, v] of [['the kernel', k.misses], ['LRU', k.lru], ['OPT', k.opt]])
					if (num(v) !== null && num(input.mrc.accesses) > 0)
						rows.push([named(input), who, bytes(num(k.pages) !== null ? k.pages * pageSizeOf(input) : null), percent(v / input.mrc.accesses, 2), count(v)]);
				for (const p of list(input.mrc.curve).map(obj))
					rows.push([named(input), 'LRU', bytes(p.pages * pageSizeOf(input)), percent(p.miss_ratio, 2), count(p.miss_ratio * input.mrc.accesses)]);
			}
			return table([{ name: 'Input', kind: 'wrap' }, { name: 'Policy', kind: 'text' }, { name: 'Memory' }, { name: 'Miss ratio' }, { name: 'Misses' }], rows, 'Miss ratios');
		}));
}

/* ---- Over time */

const perSecond = (key) => (w, t) => (num(w[key]) === null ? null : w[key] / (t.window_ns / 1e9));
const pagesToBytes = (key) => (w, t, size) => (num(w[key]) === null ? null : w[key] * size);
const counterBytes = (key) => (w) => num(obj(w.counters)[key]);
const rate = (v) => (num(v) === null ? '–' : short(v) + ' pages/s');

/* [title, axis, format, [[name, value(window, timeline, pageSize), dashed]], shows the limit] */
const timeCharts = [
	['Memory', 'memory', bytes, [['working set', pagesToBytes('working_set_pages')], ['cached', pagesToBytes('cached_pages'), true]], true],
	['Hits', 'page accesses that hit', (v) => percent(v), [['', (w) => num(w.hit_ratio)]]],
	['Refaults', 'pages a second', rate, [['', perSecond('refaults')]]],
	['Evictions', 'pages a second', rate, [['', perSecond('evictions')]]],
	['Additions', 'pages a second', rate, [['', perSecond('adds')]]],
	['LRU lists of the cgroup, as its memory.stat says', 'memory', bytes, [['active file', counterBytes('cgroup.active_file')], ['inactive file', counterBytes('cgroup.inactive_file'), true]], true],
];

const windowsOf = (input) => list(obj(input.timeline).windows).map(obj);

function timeConfig(inputs, [title, label, format, series, hasLimit]) {
	const datasets = [], limits = [];

	for (const input of inputs) {
		const t = input.timeline, size = pageSizeOf(input);

		for (const [name, value, dashed] of series) {
			const data = windowsOf(input).map((w) => ({ x: (num(w.from_ns) || 0) / 1e9, y: value(w, t, size) })).filter((p) => p.y !== null);

			if (data.length)
				datasets.push(line(input, data, { label: input.name + (name ? ', ' + name : ''), ...(dashed ? { borderDash: [5, 3] } : {}) }));
		}
		if (hasLimit && limitOf(input) && !limits.some((l) => l.at === limitOf(input)))
			limits.push({ axis: 'y', at: limitOf(input), label: 'limit ' + bytes(limitOf(input)), color: cssVar('--soft') });
	}
	const inBytes = format === bytes;
	const end = Math.max(...inputs.map((i) => windowsOf(i).length * (num(i.timeline.window_ns) || 0) / 1e9));

	return {
		type: 'line',
		data: { datasets },
		options: options(
			axis('time since the start (s)', { type: 'linear', min: 0, max: end > 0 ? end : undefined, ticks: { includeBounds: false } }),
			axis(label, {
				min: 0, ...(format(1).endsWith('%') ? { max: 1 } : {}),
				ticks: { callback: inBytes ? (v) => bytes(v) : (v) => (format(1).endsWith('%') ? percent(v, 0) : short(v)), maxTicksLimit: 6 },
				...(inBytes ? { afterBuildTicks: binaryTicks(4) } : {}),
			}),
			{
				limits,
				interaction: { mode: 'nearest', axis: 'x', intersect: false },
				tooltip: {
					callbacks: {
						title: (items) => (items.length ? 'from ' + time(items[0].parsed.x * 1e9) : ''),
						label: (item) => ' ' + item.dataset.label + ': ' + format(item.parsed.y),
					},
				},
			}),
		plugins: [limitLines],
	};
}

function timeSection(inputs) {
	const have = inputs.filter((i) => windowsOf(i).length);
	const any = (chart) => have.some((i) => windowsOf(i).some((w) => chart[3].some(([, value]) => value(w, i.timeline, 4096) !== null)));

	if (!have.length)
		return null;
	const cells = timeCharts.filter(any).map((chart) => {
		const dashed = chart[3].find((s) => s[2]);

		return el('div', {}, el('h3', {}, chart[0] + (dashed ? ' (line: ' + chart[3][0][0] + '; dashed: ' + dashed[0] + ')' : '')),
			plot(chart[0] + ' over time', () => timeConfig(shown(have), chart), true).node);
	});

	return section('time', 'Over time',
		'The working set of a window is the memory of the different pages accessed in it.',
		el('div', { class: 'grid' }, ...cells), ...have.map((input) => dataTable('Figures of ' + input.name, () => table(
			[{ name: 'From', kind: 'text' }, { name: 'Working set' }, { name: 'Cached' }, { name: 'Accesses' }, { name: 'Hits' }, { name: 'Added' }, { name: 'Evicted' }, { name: 'Refaulted' }, { name: 'Lost events' }],
			windowsOf(input).map((w) => [time(w.from_ns), bytes(pagesToBytes('working_set_pages')(w, 0, pageSizeOf(input))), bytes(pagesToBytes('cached_pages')(w, 0, pageSizeOf(input))),
				count(w.accesses), percent(w.hit_ratio), count(w.adds), count(w.evictions), count(w.refaults), count(w.lost_events)]),
			input.name + ', windows of ' + time(obj(input.timeline).window_ns)))));
}

/* ---- Where in files */

function heatSection(inputs) {
	const maps = inputs.flatMap((input) => list(obj(input.timeline).heat).map(obj).map((heat) => ({ input, heat })));
	const state = { at: 0, what: 'accesses', map: null };
	const readout = el('p', { class: 'readout', 'aria-live': 'polite' });

	if (!maps.length)
		return null;
	const { node, entry } = plot('Heat map of file offset over time', () => {
		const { input, heat } = maps[state.at];

		state.map = mapOf(heat, Array.isArray(heat[state.what]) ? state.what : 'accesses', pageSizeOf(input), readout);
		return heatConfig(state.map);
	});

	entry.onKey = (event) => onHeatKey(event, state.map, entry.chart);
	return section('heat', 'Where in files, and when',
		'The most used files: offset upwards, time to the right, stronger for more.',
		el('div', { class: 'controls' },
			choice('File', maps.map((m, i) => [i, (inputs.length > 1 ? m.input.name + ': ' : '') + (text(m.heat.key) || '(not known)')]), (v) => { state.at = +v; draw(entry); }),
			choice('Show', [['accesses', 'page accesses'], ['refaults', 'pages refaulted']], (v) => { state.what = v; draw(entry); })),
		node, readout);
}

/* ---- Top lists */

function groupTable(groups, what, caption) {
	const most = Math.max(1, ...groups.map((g) => num(g.refaults) || 0));

	return table([{ name: what, kind: 'wrap' }, { name: 'Evicted pages' }, { name: 'of them never used' }, { name: 'Refaulted pages' }, { name: 'Added by demand' }, { name: 'by read-ahead' }],
		groups.map((g) => [text(g.key) || '(not known)', count(g.evictions), count(g.evicted_unused), { text: count(g.refaults), share: (num(g.refaults) || 0) / most },
			count(obj(g.adds).demand), count(obj(g.adds).readahead)]), caption);
}

function topSection(inputs) {
	const parts = inputs.flatMap((input) => [['File', list(obj(input.hist).groups)], ['Cgroup', list(input.cgroups)]]
		.filter(([, groups]) => groups.length)
		.map(([what, groups]) => groupTable(groups.map(obj), input.kind === 'tape' ? what : 'Group', (input.kind === 'tape' ? what + 's' : 'Groups') + ' of ' + input.name + ', most refaults first')));

	return parts.length ? section('top', 'Top files and cgroups', null, ...parts) : null;
}

/* ---- Comparison */

function comparisonSection(comparison, inputs) {
	const metricsOf = list(obj(comparison).metrics).map(obj);

	if (!metricsOf.length)
		return null;
	const names = list(metricsOf[0].groups).map((g) => text(obj(g).name) || '?');
	const head = (name) => {
		const input = inputs.find((i) => i.name === name);

		return input ? named(input) : name;
	};
	const columns = [{ name: 'Metric', kind: 'text' }, ...names.flatMap((n, i) => (i ? [{ name: head(n) }, { name: 'change' }, { name: 'p, adjusted' }] : [{ name: head(n) }]))];
	const rows = metricsOf.map((m) => [(text(m.name) || '?') + (m.primary ? ' *' : ''), ...list(m.groups).map(obj).flatMap((g, i) => {
		const mean = inUnit(num(g.mean), m.unit) + (num(g.stddev) ? ' ± ' + inUnit(g.stddev, m.unit) : '');
		const change = num(g.change_percent !== undefined ? g.change_percent : m.change_percent);
		const sure = g.significant !== undefined ? g.significant : m.significant;
		const p = num(g.p_adjusted !== undefined ? g.p_adjusted : m.p_adjusted);
		const better = change === null ? null : (m.better === 'less') === (change < 0);

		return i ? [mean, change === null ? '–' : el('span', { class: sure ? (better ? 'good' : 'bad') : 'minor' },
			(change > 0 ? '+' : '') + change.toFixed(1) + ' %' + (sure ? (better ? ' better' : ' worse') : '')), p === null ? '–' : p.toPrecision(2)] : [mean];
	})]);
	const not = list(obj(comparison).not_comparable).map(obj);

	return section('comparison', 'Comparison of results',
		'Means and standard deviations over repetitions, against the first column. Coloured where the difference is significant after adjustment; * decides.',
		table(columns, rows, 'Comparison'),
		not.length ? el('p', { class: 'about' }, 'Not comparable: ' + not.map((n) => (text(n.metric) || '?') + ' (' + (text(n.why) || '?') + ')').join('; ') + '.') : null);
}

/* ---- Facts */

function factRows(input) {
	const f = obj(input.facts), r = obj(input.replay), env = obj(f.environment), kernel = obj(f.kernel || r.kernel), lru = obj(kernel.lru);
	const settings = obj(r.settings);
	const start = num(f.start_realtime_ns);

	return {
		Kind: text(input.kind),
		Scope: input.kind === 'tape' ? (f.scope === 'subject' ? 'the recorded command’s cgroups' : text(f.scope) || 'the whole machine') : null,
		Command: list(f.command).filter(text).join(' ') || null,
		Recorded: start ? new Date(start / 1e6).toISOString().replace('T', ' ').slice(0, 19) + ' UTC' : null,
		Duration: num(f.duration_ns) !== null ? time(f.duration_ns) : null,
		Kernel: text(kernel.release),
		'Kernel version': text(kernel.version),
		Architecture: text(kernel.arch),
		LRU: text(lru.flavour),
		'Memory limit': limitOf(input) ? bytes(limitOf(input)) : num(settings.memory_bytes) !== null ? bytes(settings.memory_bytes) : null,
		'Machine’s memory': num(env.memory_bytes) !== null ? bytes(env.memory_bytes) : null,
		CPUs: num(env.cpus) !== null ? count(env.cpus) : null,
		Swap: num(env.swap_bytes) !== null ? bytes(env.swap_bytes) : null,
		'Transparent huge pages': text(env.thp),
		Swappiness: num(obj(env.vm).swappiness) !== null ? count(obj(env.vm).swappiness) : text(obj(env.vm).swappiness),
		Accelerator: text(r.accelerator),
		'Order and pace': settings.order !== undefined ? text(settings.order) + ', ' + String(settings.pace) : null,
		Repetitions: num(r.runs) !== null ? count(r.runs) : null,
		Events: num(f.events) !== null ? count(f.events) : null,
		'Lost events': input.kind === 'tape' ? (num(f.lost_events) === null ? 'some, not counted' : count(f.lost_events)) : null,
		'Files, tasks': num(f.files) !== null ? count(f.files) + ', ' + count(f.tasks) : null,
		'Refaults are': obj(input.hist).refault_source === 'kernel' ? 'the kernel’s own word' : input.hist ? 'modelled from evictions' : null,
		Source: text(f.source),
	};
}

function factSection(inputs) {
	const facts = inputs.map(factRows);
	const rows = Object.keys(facts[0] || {}).filter((key) => facts.some((f) => f[key] !== null))
		.map((key) => [key, ...facts.map((f) => f[key])]);

	return inputs.length ? section('facts', 'Machines, kernels, recordings', null,
		table([{ name: '', kind: 'text' }, ...inputs.map((i) => ({ name: named(i), kind: 'text wrap' }))], rows, 'Facts')) : null;
}
