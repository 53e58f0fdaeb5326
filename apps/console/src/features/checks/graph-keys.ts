import type { KeyboardEvent } from 'react'
import type uPlot from 'uplot'
import { type TimeRange, panRange, stepTo, zoomRange } from './graph-data.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

export interface GraphKeys {
  chart: uPlot | undefined
  /** Times, and for each a value or null where unknown. */
  columns: readonly [readonly number[], readonly (number | null)[], ...unknown[]]
  cursor: number | undefined
  range: TimeRange
  onZoom: ((range: TimeRange) => void) | undefined
}

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -20,
  PageDown: 20,
  Home: -1e9,
  End: 1e9,
}
const ZOOMS: Record<string, number> = { '+': 0.5, '=': 0.5, '-': 2 }
const PANS: Record<string, number> = { ArrowLeft: -0.25, ArrowRight: 0.25, PageUp: -1, PageDown: 1 }

/** Arrows walk from value to value, with Shift they move the time that is shown; + and − zoom around the cursor. */
export function handleGraphKey(event: KeyboardEvent, keys: GraphKeys): void {
  const { chart, columns, cursor, range, onZoom } = keys
  if (event.ctrlKey || event.metaKey || event.altKey || chart === undefined) return
  const share = event.shiftKey ? PANS[event.key] : undefined
  const step = event.shiftKey ? undefined : STEPS[event.key]
  const factor = ZOOMS[event.key]
  if (share !== undefined && onZoom !== undefined) {
    onZoom(panRange(range, share, serverNow() / 1000))
  } else if (step !== undefined && columns[0].length > 0) {
    const end = columns[0].length - 1
    const at = stepTo({ columns, from: cursor ?? (step > 0 ? -1 : end + 1), by: step })
    const [time, value] = [columns[0][at], columns[1][at]]
    if (time === undefined) return
    chart.setCursor({ left: chart.valToPos(time, 'x'), top: chart.valToPos(value ?? 0, 'y') })
  } else if (factor !== undefined && onZoom !== undefined) {
    const around = (cursor === undefined ? undefined : columns[0][cursor]) ?? (range.from + range.to) / 2
    onZoom(zoomRange(range, around, factor))
  } else return
  event.preventDefault()
}
