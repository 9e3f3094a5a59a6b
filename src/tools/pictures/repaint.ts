import { colours } from '#shared/colours.ts'

type Colours = Record<keyof typeof colours, string>

const DRAWING_COLOURS: Colours = {
  ...{ paper: '#fffcf5', cotton: '#faf5ea', panel: '#f1e8d6', thread: '#e0d2b8', seam: '#8a7458' },
  ...{ clay: '#a6492b', clayDeep: '#7e3219', clayPale: '#ebc9b4', marigold: '#e9a227' },
  ...{ acacia: '#2f5d3a', acaciaDeep: '#1f4229', leaf: '#a9bf95', indigo: '#26345e' },
  ...{ ink: '#241e18', inkSoft: '#54483b', inkFaint: '#6d5f50', danger: '#9b1c1c', dangerDeep: '#771414' },
  ...{ dangerPale: '#fbe6df', successPale: '#e6eeda', marigoldPale: '#f5d795' },
}
const COLOUR_NAMES_BY_HEX = new Map(
  Object.entries(DRAWING_COLOURS).map(([name, hex]) => [hex, name as keyof Colours]),
)

export function recolourSvg(svg: string, now: Colours = colours): string {
  return svg.replace(/#[0-9a-f]{6}\b/gi, (hex) => {
    const name = COLOUR_NAMES_BY_HEX.get(hex.toLowerCase())
    return name && now[name] !== DRAWING_COLOURS[name] ? now[name] : hex
  })
}
