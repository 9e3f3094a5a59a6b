/** The tokens of src/client/styles/tokens.css, for where CSS can't reach: emails, manifests, pictures. A test compares both. */
export const colours = {
  paper: '#fffcf5',
  cotton: '#faf5ea',
  panel: '#f1e8d6',
  thread: '#e0d2b8',
  seam: '#8a7458',
  clay: '#a6492b',
  clayDeep: '#7e3219',
  acacia: '#2f5d3a',
  acaciaDeep: '#1f4229',
  leaf: '#a9bf95',
  indigo: '#26345e',
  marigold: '#e9a227',
  ink: '#241e18',
  inkSoft: '#54483b',
  danger: '#9b1c1c',
  successPale: '#e6eeda',
} as const
