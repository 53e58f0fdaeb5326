import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { LogLine } from '@muster/contract/agent/logs'
import { makeVisible } from '@muster/rules/text/visible-text'
import { useMemo, useState } from 'react'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { OutputBox } from '../../../ui/layout/OutputBox.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { useDateFormat } from '../../../ui/layout/date-format.ts'
import classes from '../../../ui/layout/ListPane.module.css'
import { EVENT_COLUMNS, LOG_CARD, LOG_COLUMNS, LOG_COLUMNS_PX } from './log-columns.tsx'
import { priorityWord } from './log-words.ts'

interface EntryTableProps {
  entries: readonly LogLine[]
  scrollKey: string
  hasEvents: boolean
}

/** Entries of a log; one that is opened is shown whole. */
export function EntryTable({ entries, scrollKey, hasEvents }: EntryTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const format = useDateFormat()
  const context = useMemo(() => ({ format }), [format])
  const rows = useMemo(() => entries.map((entry, index) => ({ ...entry, key: `${index}` })), [entries])
  const [selected, setSelected] = useState<string>()
  const [opened, setOpened] = useState<LogLine>()
  return (
    <div className={classes.table}>
      <DataTable
        label="Log"
        rows={rows}
        rowKey={({ key }) => key}
        columns={hasEvents ? EVENT_COLUMNS : LOG_COLUMNS}
        context={context}
        rowHeight={28}
        minWidth={LOG_COLUMNS_PX}
        selected={selected}
        onSelect={(row) => setSelected(row?.key)}
        onOpen={setOpened}
        onDoubleClick={setOpened}
        card={hasCards ? LOG_CARD : undefined}
        scrollKey={scrollKey}
        empty={<EmptyState message="No entry fits this." />}
      />
      {opened !== undefined && (
        <Dialog
          title={`${priorityWord(opened.priority)} of ${makeVisible(opened.source)}`}
          onClose={() => setOpened(undefined)}
          footer={
            <Button variant="default" onClick={() => setOpened(undefined)} data-autofocus>
              Close
            </Button>
          }
        >
          <p className={classes.dim}>
            {[
              format(opened.at_ms),
              makeVisible(opened.unit),
              opened.event_id === undefined ? '' : `event ${opened.event_id}`,
              opened.pid === 0 ? '' : `PID ${opened.pid}`,
            ]
              .filter(Boolean)
              .join(', ')}
          </p>
          <OutputBox
            label="Message"
            segments={[{ text: makeVisible(opened.message) }]}
            empty="It says nothing."
            growing={false}
          />
        </Dialog>
      )}
    </div>
  )
}
