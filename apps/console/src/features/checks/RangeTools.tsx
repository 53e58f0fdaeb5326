import { Button, SegmentedControl } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { IconZoomReset } from '@tabler/icons-react'
import type { Ref } from 'react'
import { formatDate } from '../../ui/date-format.ts'
import classes from './CheckHistory.module.css'
import { type HistoryView, LIVE_RANGE, RANGES } from './history-view.ts'

interface RangeToolsProps {
  range: HistoryView['range']
  onChange: (range: HistoryView['range']) => void
  /** There is something to see by the second. */
  hasLive?: boolean
  ref?: Ref<HTMLDivElement>
}

/** Over what time a graph goes; after zooming, which time that is and the way back. */
export function RangeTools({ range, onChange, hasLive = false, ref }: RangeToolsProps) {
  const ranges = hasLive ? [LIVE_RANGE, ...RANGES] : RANGES
  return (
    <>
      <SegmentedControl
        {...(ref === undefined ? {} : { ref })}
        aria-label="Time"
        size="xs"
        data={ranges.map(({ value, label }) => ({ value, label }))}
        value={typeof range === 'string' ? range : ''}
        onChange={(value) => {
          const chosen = ranges.find((one) => one.value === value)
          if (chosen) onChange(chosen.value)
        }}
      />
      {typeof range !== 'string' && (
        <>
          <span className={classes.dim}>
            {formatDate(range.from, 'MMM D, HH:mm')} – {formatDate(range.to, 'MMM D, HH:mm')}
          </span>
          <Button
            variant="default"
            leftSection={<IconZoomReset size={16} stroke={1.75} aria-hidden />}
            onClick={() => onChange('24h')}
          >
            Back to now
          </Button>
        </>
      )}
    </>
  )
}
