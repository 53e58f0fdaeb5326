import { type PointerEvent, type RefObject, useRef } from 'react'
import type uPlot from 'uplot'
import type { GraphThresholds } from './graph-marks.ts'

const NAMES = ['error_threshold', 'warning_threshold'] as const
export type ThresholdName = (typeof NAMES)[number]

/** Distance at which the pointer grabs a line. */
const NEAR_PX = 6

interface ThresholdDrag {
  chart: RefObject<uPlot | undefined>
  thresholds: GraphThresholds | undefined
  onThreshold: ((name: ThresholdName, value: number) => void) | undefined
}

/** Threshold lines can be dragged up and down; keyboard users type the number. */
export function useThresholdDrag({ chart, thresholds, onThreshold }: ThresholdDrag) {
  const dragged = useRef<ThresholdName>(undefined)
  const lineAt = (event: PointerEvent): ThresholdName | undefined => {
    const shown = chart.current
    if (shown === undefined || thresholds === undefined) return undefined
    const y = event.clientY - shown.over.getBoundingClientRect().top
    return NAMES.find((name) => {
      const limit = thresholds[name]
      return limit !== null && Math.abs(shown.valToPos(limit, 'y') - y) <= NEAR_PX
    })
  }
  if (onThreshold === undefined) return {}
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const name = event.button === 0 ? lineAt(event) : undefined
      if (name === undefined) return
      dragged.current = name
      event.currentTarget.setPointerCapture(event.pointerId)
      event.preventDefault()
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const name = dragged.current
      event.currentTarget.style.cursor = (name ?? lineAt(event)) === undefined ? '' : 'ns-resize'
      if (name === undefined || chart.current === undefined) return
      const y = event.clientY - chart.current.over.getBoundingClientRect().top
      onThreshold(name, Math.round(chart.current.posToVal(y, 'y')))
    },
    onPointerUp: () => {
      dragged.current = undefined
    },
    onPointerCancel: () => {
      dragged.current = undefined
    },
  }
}
