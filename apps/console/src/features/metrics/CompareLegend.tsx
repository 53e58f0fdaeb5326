import { useComputedColorScheme } from '@mantine/core'
import classes from './Compare.module.css'
import type { ComparedLine } from './compare-lines.ts'
import { lineColor, lineDash } from './compare-options.ts'

interface CompareLegendProps {
  lines: readonly ComparedLine[]
  hidden: ReadonlySet<string>
  onToggle: (agentId: string) => void
  /** The pointer or the focus is on this one; undefined = on none. */
  onPoint: (agentId: string | undefined) => void
}

/** Which line is which machine's. Pressed = shown. */
export function CompareLegend({ lines, hidden, onToggle, onPoint }: CompareLegendProps) {
  const scheme = useComputedColorScheme('dark')
  return (
    <ul className={classes.legend} aria-label="Machines on the graph">
      {lines.map(({ agent_id, hostname, points }, place) => (
        <li key={agent_id}>
          <button
            type="button"
            className={classes.entry}
            aria-pressed={!hidden.has(agent_id)}
            onClick={() => onToggle(agent_id)}
            onPointerEnter={() => onPoint(agent_id)}
            onPointerLeave={() => onPoint(undefined)}
            onFocus={() => onPoint(agent_id)}
            onBlur={() => onPoint(undefined)}
          >
            <svg width="22" height="8" aria-hidden>
              <line
                x1="1"
                x2="21"
                y1="4"
                y2="4"
                stroke={lineColor(place, scheme)}
                strokeWidth="2.5"
                strokeDasharray={lineDash(place).join(' ')}
              />
            </svg>
            <bdi>{hostname}</bdi>
            {points.length === 0 && <span className={classes.dim}>measured nothing</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
