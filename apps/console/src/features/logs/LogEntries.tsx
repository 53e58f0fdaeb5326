import { Button, Select, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { JournalPriority, LogLine } from '@muster/contract/agent/logs'
import type { AgentDetail } from '@muster/contract/api/agents'
import { readMachineLog } from '@muster/contract/api/logs'
import { makeVisible } from '@muster/rules/visible-text'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { query } from '../../app/api.ts'
import { describeError } from '../../app/describe-error.ts'
import { DataTable } from '../../ui/DataTable.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { OutputBox } from '../../ui/OutputBox.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/States.tsx'
import { useDateFormat } from '../../ui/date-format.ts'
import classes from '../../ui/ListPane.module.css'
import styles from './Logs.module.css'
import { EventIdField, eventIdOf, EventLogField, isEventId, isEventLog } from './EventFields.tsx'
import { EVENT_COLUMNS, LOG_CARD, LOG_COLUMNS, LOG_COLUMNS_PX } from './log-columns.tsx'
import { PRIORITY_CHOICES, priorityWord, TIME_CHOICES } from './log-words.ts'

interface Filter {
  unit: string
  /** Of Windows. */
  log: string
  eventId: string
  source: string
  priority: JournalPriority
  seconds: number
  search: string
  /** Asked anew, the filter is another one. */
  askedAt: number
}

const FIRST = {
  unit: '',
  log: 'System',
  eventId: '',
  source: '',
  priority: 'debug',
  seconds: 86_400,
  search: '',
} as const

/** Entries of the system's log, the newest first, found by unit, priority, time and text. */
export function LogEntries({ agent, children }: { agent: AgentDetail; children: ReactNode }) {
  const { agent_id, hostname, connected } = agent
  const [wanted, setWanted] = useState<Omit<Filter, 'askedAt'>>(FIRST)
  const [filter, setFilter] = useState<Filter>(() => ({ ...FIRST, askedAt: Date.now() }))
  const { priority, seconds, search, askedAt } = filter
  const isWindows = agent.plat === 'windows'
  const since = seconds === 0 ? {} : { since: Math.floor(askedAt / 1000) - seconds }
  const { data, error, isFetching, refetch } = useQuery({
    ...query(readMachineLog, {
      params: { agent_id },
      query: { priority, search, ...since, ...(isWindows ? eventQuery(filter) : unitQuery(filter)) },
    }),
    enabled: connected,
    retry: false,
    gcTime: 0,
  })
  const isFit = !isWindows || (isEventLog(wanted.log) && isEventId(wanted.eventId))
  const set = (more: Partial<Filter>) => setWanted((before) => ({ ...before, ...more }))
  return (
    <>
      <form
        className={classes.tools}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isFit) return
          setFilter({ ...wanted, unit: wanted.unit.trim(), log: wanted.log.trim(), askedAt: Date.now() })
        }}
      >
        {children}
        {isWindows ? (
          <>
            <EventLogField value={wanted.log} onChange={(log) => set({ log })} />
            <TextInput
              className={styles.unit}
              aria-label="Source"
              placeholder="Part of a source"
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
          aria-label="Time"
          data={TIME_CHOICES}
          value={`${wanted.seconds}`}
          allowDeselect={false}
          onChange={(value) => set({ seconds: Number(value) })}
        />
        <TextInput
          className={classes.search}
          aria-label="Search the log"
          placeholder="Part of a message or a source"
          maxLength={255}
          value={wanted.search}
          onChange={(event) => set({ search: event.currentTarget.value })}
        />
        <Button type="submit" variant="default" loading={isFetching} disabled={!isFit}>
          Search
        </Button>
        {data !== undefined && (
          <div className={classes.sums} role="status">
            {data.entries.length} {data.entries.length === 1 ? 'entry' : 'entries'}
            {data.complete ? '' : ', and there may be more: search closer'}
          </div>
        )}
      </form>
      {!connected && data === undefined ? (
        <EmptyState message={`${hostname} is not connected. Its log is shown once it is back.`} />
      ) : error !== null ? (
        <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={8} />
      ) : (
        <EntryTable entries={data.entries} scrollKey={`${askedAt}`} hasEvents={isWindows} />
      )}
    </>
  )
}

const unitQuery = ({ unit }: Filter) => (unit === '' ? {} : { unit })

function eventQuery({ log, eventId, source }: Filter) {
  const event_id = eventIdOf(eventId)
  return { log, ...(source === '' ? {} : { source }), ...(event_id === undefined ? {} : { event_id }) }
}

interface EntryTableProps {
  entries: readonly LogLine[]
  scrollKey: string
  hasEvents: boolean
}

function EntryTable({ entries, scrollKey, hasEvents }: EntryTableProps) {
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
