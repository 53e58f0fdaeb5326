import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import {
  IconChartLine,
  IconChevronLeft,
  IconChevronRight,
  IconTable,
  IconZoomReset,
} from '@tabler/icons-react'
import { type Ref, useCallback } from 'react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { formatDate } from '../../ui/layout/date-format.ts'
import { CsvButton, type CsvTable } from '../../ui/table/CsvButton.tsx'
import { panRange } from './graph-data.ts'
import { type HistoryView, LIVE_RANGE, RANGES, rangeUntilNow, readView, writeView } from './history-view.ts'
import { serverNow } from '../../ui/layout/server-clock.ts'

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
    onChange(panRange(shown, share, serverNow() / 1000))
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

interface ViewButtonsProps {
  asTable: boolean
  onAsTable: (asTable: boolean) => void
  fileName: string
  /** The numbers for the file; absent if there are none. */
  table: CsvTable | undefined
}

/** Switches between graph and table, and downloads the numbers. */
export function ViewButtons({ asTable, onAsTable, fileName, table }: ViewButtonsProps) {
  const Icon = asTable ? IconChartLine : IconTable
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
        onClick={() => onAsTable(!asTable)}
      >
        {asTable ? 'Graph' : 'Table'}
      </Button>
      <CsvButton of="numbers" fileName={fileName} table={table} />
    </>
  )
}

/** The view of the history in the address, so that a copied link shows the same. */
export function useHistoryView() {
  const { filter } = useSearch({ strict: false })
  const navigate = useNavigate()
  const view = readView(filter)
  const change = useCallback(
    (part: Partial<HistoryView>) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, filter: writeView({ ...readView(old.filter), ...part }) }),
        replace: true,
      }),
    [navigate],
  )
  return { view, change }
}
