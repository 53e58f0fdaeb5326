import type uPlot from 'uplot'
import type { GraphColors } from '../checks/graph-marks.ts'
import {
  readCursor,
  type GraphCursor,
  graphAxes,
  takeSelection,
  valueRange,
} from '../checks/graph-options.ts'

/** Ten lines by hue, and by dashes where hues are hard to tell apart. */
const HUES = [212, 28, 150, 330, 48, 265, 185, 0, 95, 300]
const DASHES = [[], [], [], [], [], [6, 3], [6, 3], [6, 3], [2, 3], [2, 3]]

export const lineColor = (place: number, scheme: 'light' | 'dark') =>
  `hsl(${HUES[place % HUES.length]} 75% ${scheme === 'dark' ? 62 : 38}%)`
export const lineDash = (place: number): number[] => DASHES[place % DASHES.length] ?? []

interface CompareSettings {
  width: number
  height: number
  unit: string
  count: number
  scheme: 'light' | 'dark'
  colors: GraphColors
  onCursor: (cursor: GraphCursor | undefined) => void
  onZoom: (from: number, to: number) => void
}

/** Several lines over one time. */
export function compareOptions(settings: CompareSettings): uPlot.Options {
  const { width, height, unit, count, scheme, colors, onCursor, onZoom } = settings
  return {
    width,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
    scales: { x: { time: true }, y: { range: (_chart, least, most) => valueRange(unit, [least, most], []) } },
    axes: graphAxes(unit, colors),
    series: [
      {},
      ...Array.from({ length: count }, (_, place) => ({
        stroke: lineColor(place, scheme),
        dash: lineDash(place),
        width: 1.5,
        points: { size: 4, fill: lineColor(place, scheme) },
        spanGaps: false,
      })),
    ],
    hooks: {
      setCursor: [(chart) => onCursor(readCursor(chart))],
      setSelect: [(chart) => takeSelection(chart, onZoom)],
    },
  }
}
