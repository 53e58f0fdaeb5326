import { Button, Select, TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type ReactNode, useState } from 'react'
import { describeError } from '../../../app/api/describe-error.ts'
import { useFind } from '../../../app/shell/use-place.ts'
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from '../../../ui/layout/ListPane.module.css'
import styles from './Logs.module.css'
import { EntryTable } from './EntryTable.tsx'
import { EventIdField, EventLogField, isEventId, isEventLog } from './EventFields.tsx'
import { readLogFilter, type WantedLog, writeLogFilter } from './log-filter.ts'
import { PRIORITY_CHOICES, TIME_CHOICES } from './log-words.ts'
import { useLogEntries } from './use-log-entries.ts'

/** Entries of the system's log, the newest first, found by unit, priority, time and text. */
export function LogEntries({ agent, children }: { agent: AgentDetail; children: ReactNode }) {
  const { hostname, connected } = agent
  const [find, setFind] = useFind()
  const [askedAt, setAskedAt] = useState(() => Date.now())
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
          setAskedAt(Date.now())
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
            {entries.length.toLocaleString('en')} {entries.length === 1 ? 'entry' : 'entries'}
            {isCut ? ', and there may be more: search closer' : ''}
          </div>
        )}
      </form>
      {!connected && data === undefined ? (
        <EmptyState message={`${hostname} is not connected. Its log is shown once it is back.`} />
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
