// Messages that no host of good will sends.

const big = "'x'.repeat(5e6)";
const runs = "scenario: 'munlock', old: '0', new: '6'";
const own = (text) => `JSON.parse('${text}')`;

// What comes, as an expression, and the code of the error that answers it; null: it is nobody's and left alone.
const FOREIGN = [
  "'ping'", "null", "42", "({})", `({ type: 'load', ${runs} })`, "new Map([['mmscope', 1]])", "new Date()",
  "[{ mmscope: 1, type: 'step' }]", "new Uint8Array(1e6)",
  "Object.fromEntries([['mmscope', 1], ['type', 'step'], ...[...Array(1e4).keys()].map((i) => ['k' + i, 1])])",
];

const FIELDS = [
  ["", "type"],
  ["type: ['step']", "type"],
  ["type: 'constructor'", "type"],
  [`type: ${big}`, "type"],
  ["type: 'step', by: '1'", "field"],
  ["type: 'step', by: NaN", "field"],
  ["type: 'step', by: 10n", "field"],
  ["type: 'step', by: 1e12", "range"],
  ["type: 'step', by: 1, extra: 1", "field"],
  ["type: 'step', constructor: { prototype: { by: 5 } }", "field"],
  ["type: 'seek', step: { 0: 1, 1: 1, length: 2 }", "field"],
  ["type: 'seek', step: Array(1e6).fill(1)", "field"],
  ["type: 'seek', step: [9e9, 1]", "field"],
  ["type: 'seek', step: [999999, 1]", "range"],
  ["type: 'seek', milestone: '<script>alert(1)</script>'", "range"],
  ["type: 'play', speed: 0", "range"],
  ["type: 'play', speed: 1e9", "range"],
  ["type: 'load', scenario: '__proto__', old: '0', new: '6'", "load"],
  ["type: 'load', scenario: 'munlock', old: '0', new: 'toString'", "load"],
  [`type: 'load', scenario: ${big}, old: '0', new: '6'`, "field"],
  [`type: 'load', ${runs}, params: ${own('{"__proto__":1}')}`, "load"],
  [`type: 'load', ${runs}, params: { pages: 4e9 }`, "load"],
  [`type: 'load', ${runs}, params: { pages: { a: { b: {} } } }`, "field"],
  [`type: 'load', ${runs}, schedule: 'seed:-1'`, "load"],
  ["type: 'load', link: 'javascript:alert(1)'", "link"],
  ["type: 'load', link: '#' + 'v1/'.repeat(1e6)", "field"],
  ["type: 'ping', id: { toString: 1 }", "field"],
  [`type: 'ping', id: ${big}`, "field"],
];

export const HOSTILE = [
  ...FOREIGN.map((text) => [text, null]),
  ["({ mmscope: 2, type: 'step' })", "version"],
  ["({ mmscope: '1', type: 'step' })", "version"],
  [own('{"mmscope":1,"type":"step","__proto__":{"by":5}}'), "field"],
  ...FIELDS.map(([fields, code]) => [`({ mmscope: 1, ${fields} })`, code]),
];
