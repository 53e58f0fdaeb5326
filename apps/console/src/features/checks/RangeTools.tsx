import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { IconChevronLeft, IconChevronRight, IconZoomReset } from '@tabler/icons-react'
import type { Ref } from 'react'
import { formatDate } from '../../ui/layout/date-format.ts'
import { panRange } from './graph-data.ts'
import { type HistoryView, LIVE_RANGE, RANGES, rangeUntilNow } from './history-view.ts'

interface RangeToolsProps {
  range: HistoryView['range']
  onChange: (range: HistoryView['range']) => void
  /** A live range with a value per second is available. */
  hasLive?: boolean
  ref?: Ref<HTMLDivElement>
}

/** The time range of a graph; after zooming, the range and the way back. */
export function RangeTools({ range, onChange, hasLive = false, ref }: RangeToolsProps) {
  const pan = (share: number) => {
    const shown = typeof range === 'string' ? rangeUntilNow(range) : range
    onChange(panRange(shown, share, Date.now() / 1000))
  }
  const ranges = hasLive ? [LIVE_RANGE, ...RANGES] : RANGES
  return (
    <>
      <SegmentedControl
        {...(ref === undefined ? {} : { ref })}
        aria-label="Time range"
        size="xs"
        data={ranges.map(({ value, label }) => ({ value, label }))}
        value={typeof range === 'string' ? range : ''}
        onChange={(value) => {
          const chosen = ranges.find((one) => one.value === value)
          if (chosen) onChange(chosen.value)
        }}
      />
      <ActionIcon.Group>
        <ActionIcon variant="default" size={30} aria-label="Earlier" onClick={() => pan(-0.5)}>
          <IconChevronLeft size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Later"
          disabled={typeof range === 'string'}
          onClick={() => pan(0.5)}
        >
          <IconChevronRight size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </ActionIcon.Group>
      {typeof range !== 'string' && (
        <>
          <span className="dim small">
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
