import { Button, Select, TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type ReactNode, useMemo, useState } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import type { LogLine } from '@muster/contract/agent/logs'
import { makeVisible } from '@muster/rules/text/safe-text'
import { describeError } from '../../../app/api/describe-error.ts'
import { useFind } from '../../../app/shell/use-tool-location.ts'
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { OutputBox } from '../../../ui/layout/OutputBox.tsx'
import { useDateFormat } from '../../../ui/layout/date-format.ts'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
import styles from './Logs.module.css'
import { EventIdField, EventLogField, isEventId, isEventLog } from './EventFields.tsx'
import { readLogFilter, type WantedLog, writeLogFilter } from './log-filter.ts'
import { PRIORITY_CHOICES, priorityLabel, TIME_CHOICES } from './log-labels.ts'
import { useLogEntries } from './use-log-entries.ts'
import tones from './Logs.module.css'
import { serverNow } from '../../../ui/layout/server-clock.ts'

/** Entries of the system log, newest first, filtered by unit, priority, time and text. */
export function LogEntries({ agent, children }: { agent: AgentDetail; children: ReactNode }) {
  const { hostname, connected } = agent
  const [find, setFind] = useFind()
  const [askedAt, setAskedAt] = useState(() => serverNow())
  const [wanted, setWanted] = useState(() => readLogFilter(find))
  const isWindows = agent.plat === 'windows'
  const { log, entries, isCut } = useLogEntries(agent, { ...readLogFilter(find), askedAt })
  const { data, error, isFetching, refetch } = log
  const isFit = !isWindows || (isEventLog(wanted.log) && isEventId(wanted.eventId))
  const set = (more: Partial<WantedLog>) => setWanted((before) => ({ ...before, ...more }))
  return (
    <>
      <form
        className={classes.tools}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isFit) return
          setFind(writeLogFilter({ ...wanted, unit: wanted.unit.trim(), log: wanted.log.trim() }))
          setAskedAt(serverNow())
        }}
      >
        {children}
        {isWindows ? (
          <>
            <EventLogField value={wanted.log} onChange={(log) => set({ log })} />
            <TextInput
              className={styles.unit}
              aria-label="Source"
              placeholder="Part of source"
              maxLength={255}
              value={wanted.source}
              onChange={(event) => set({ source: event.currentTarget.value })}
            />
            <EventIdField value={wanted.eventId} onChange={(eventId) => set({ eventId })} />
          </>
        ) : (
          <TextInput
            className={styles.unit}
            aria-label="Unit"
            placeholder="Unit: ssh.service"
            value={wanted.unit}
            onChange={(event) => set({ unit: event.currentTarget.value })}
          />
        )}
        <Select
          className={styles.choice}
          aria-label="Priority"
          data={PRIORITY_CHOICES}
          value={wanted.priority}
          allowDeselect={false}
          onChange={(value) => {
            const chosen = PRIORITY_CHOICES.find((choice) => choice.value === value)
            if (chosen !== undefined) set({ priority: chosen.value })
          }}
        />
        <Select
          className={styles.choice}
          aria-label="Time range"
          data={TIME_CHOICES}
          value={`${wanted.seconds}`}
          allowDeselect={false}
          onChange={(value) => set({ seconds: Number(value) })}
        />
        <TextInput
          className={classes.search}
          aria-label="Search log"
          placeholder="Part of message or source"
          maxLength={255}
          value={wanted.search}
          onChange={(event) => set({ search: event.currentTarget.value })}
        />
        <Button type="submit" variant="default" loading={isFetching} disabled={!isFit}>
          Search
        </Button>
        {data !== undefined && (
          <div className={classes.sums} role="status">
            {entries.length.toLocaleString('en')} {entries.length === 1 ? 'entry' : 'entries'}
            {isCut ? ', possibly more: narrow the search' : ''}
          </div>
        )}
      </form>
      {!connected && data === undefined ? (
        <EmptyState message={`${hostname} is offline. Its log appears when it reconnects.`} />
      ) : error !== null && data === undefined ? (
        <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={8} />
      ) : (
        <EntryTable entries={entries} scrollKey={`${askedAt}`} hasEvents={isWindows} />
      )}
      {log.hasNextPage && (
        <div className={styles.older}>
          {error !== null && <span role="alert">{describeError(error).message}</span>}
          <Button
            variant="default"
            size="compact-sm"
            loading={log.isFetchingNextPage}
            disabled={!connected}
            onClick={() => void log.fetchNextPage()}
          >
            Show older entries
          </Button>
        </div>
      )}
    </>
  )
}

interface EntryTableProps {
  entries: readonly LogLine[]
  scrollKey: string
  hasEvents: boolean
}

/** Entries of a log; an opened entry is shown in full. */
function EntryTable({ entries, scrollKey, hasEvents }: EntryTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const format = useDateFormat()
  const context = useMemo(() => ({ format }), [format])
  const rows = useMemo(() => entries.map((entry, index) => ({ ...entry, key: `${index}` })), [entries])
  const [selected, setSelected] = useState<string>()
  const [opened, setOpened] = useState<LogLine>()
  return (
    <div className="pane">
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
        empty={<EmptyState message="No matching log entries." />}
      />
      {opened !== undefined && (
        <Dialog
          title={`${priorityLabel(opened.priority)} of ${makeVisible(opened.source)}`}
          onClose={() => setOpened(undefined)}
          footer={
            <Button variant="default" onClick={() => setOpened(undefined)} data-autofocus>
              Close
            </Button>
          }
        >
          <p className="dim">
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
            empty="No message"
            growing={false}
          />
        </Dialog>
      )}
    </div>
  )
}

interface LogContext {
  format: (instant: number) => string
}

const LOG_COLUMNS: readonly DataColumn<LogLine, LogContext>[] = [
  { id: 'time', title: 'Time', width: '170px', render: ({ at_ms }, { format }) => format(at_ms) },
  {
    id: 'priority',
    title: 'Priority',
    width: '100px',
    render: ({ priority }) => (
      <span className={tones.priority} data-priority={priority}>
        {priorityLabel(priority)}
      </span>
    ),
  },
  {
    id: 'source',
    title: 'Source',
    width: 'minmax(100px, 0.4fr)',
    render: ({ source, unit, pid }) => (
      <bdi data-tip={[makeVisible(unit), pid === 0 ? '' : `PID ${pid}`].filter(Boolean).join(', ')}>
        {makeVisible(source)}
      </bdi>
    ),
  },
  {
    id: 'message',
    title: 'Message',
    width: 'minmax(240px, 2fr)',
    render: ({ message }) => <bdi>{makeVisible(message)}</bdi>,
  },
]

const LOG_COLUMNS_PX = 700

/** For Windows, where events have numbers. */
const EVENT_COLUMNS: readonly DataColumn<LogLine, LogContext>[] = LOG_COLUMNS.flatMap((column) =>
  column.id === 'message'
    ? [{ id: 'event', title: 'Event ID', width: '80px', render: ({ event_id }) => event_id ?? '' }, column]
    : [column],
)

const LOG_CARD: DataCard<LogLine, LogContext> = {
  height: 61,
  render: ({ at_ms, priority, source, message }, { format }) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{makeVisible(message)}</bdi>
      </div>
      <div className="cardLine dim">
        <span className="cut">
          {format(at_ms)}, {priorityLabel(priority)}, {makeVisible(source)}
        </span>
      </div>
    </>
  ),
}
