const DATASOURCE = { type: 'prometheus', uid: 'prometheus' };
const SIZES = { stat: { w: 6, h: 4 }, timeseries: { w: 12, h: 8 } };
const COLUMNS = 24;

/**
 * One panel. `queries`: PromQL by what the legend calls it, where labels stand in double braces. `unit` is Grafana's id of one:
 * short, s, bytes, reqps, percentunit. What it shows and what to make of it stands in `description`. `right`: the query of another
 * order of magnitude, which has an axis of its own. `words`: what to show for a number.
 */
export function panel(
  title,
  { description, unit, queries, type = 'timeseries', stacked = false, min = 0, right, words },
) {
  return {
    title,
    description,
    type,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: {
        unit,
        ...(min === null ? {} : { min }),
        ...(words === undefined ? {} : { mappings: [mappingTo(words)] }),
        ...(type === 'timeseries'
          ? { custom: { fillOpacity: 10, stacking: { mode: stacked ? 'normal' : 'none' } } }
          : {}),
      },
      overrides: right === undefined ? [] : [onTheRight(right)],
    },
    options:
      type === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'] }, graphMode: 'area' }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}

function mappingTo(words) {
  const options = Object.entries(words).map(([value, text], index) => [value, { text, index }]);
  return { type: 'value', options: Object.fromEntries(options) };
}

function onTheRight(name) {
  const properties = { 'custom.axisPlacement': 'right', 'custom.axisLabel': name, min: 0 };
  return {
    matcher: { id: 'byName', options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

/** A number of this moment. */
export function stat(title, options) {
  return panel(title, { ...options, type: 'stat' });
}

/** A dashboard of panels, laid out from left to right and top to bottom. */
export function dashboard(uid, { title, description, panels }) {
  let [x, y, tallest] = [0, 0, 0];
  const laidOut = panels.map((each, index) => {
    const { w, h } = SIZES[each.type];
    if (x + w > COLUMNS) [x, y, tallest] = [0, y + tallest, 0];
    const gridPos = { x, y, w, h };
    x += w;
    tallest = Math.max(tallest, h);
    return { id: index + 1, gridPos, ...each };
  });
  return {
    uid,
    title,
    description,
    tags: ['openclaw-rl'],
    editable: false,
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    links: [{ type: 'dashboards', tags: ['openclaw-rl'], title: 'Dashboards', asDropdown: false, keepTime: true }],
    panels: laidOut,
  };
}
