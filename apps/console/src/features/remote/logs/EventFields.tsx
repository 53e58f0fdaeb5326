import { Autocomplete, TextInput } from '@mantine/core'
import { EventId } from '@muster/contract/agent/checks'
import { EventLogName } from '@muster/contract/agent/logs'
import { readEventId } from '@muster/rules/checks/logs'
import styles from './Logs.module.css'
import { EVENT_LOGS } from './log-labels.ts'

/** A Windows event log: one that every Windows has, or the name of another one. */
export function EventLogField({ value, onChange }: { value: string; onChange: (log: string) => void }) {
  return (
    <Autocomplete
      className={styles.unit}
      aria-label="Event log"
      data={EVENT_LOGS}
      value={value}
      maxLength={255}
      error={isEventLog(value) ? undefined : 'Invalid log name.'}
      onChange={onChange}
    />
  )
}

export const isEventLog = (name: string) => EventLogName.safeParse(name.trim()).success

/** The event id: a number, or `*` for all. */
export function EventIdField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  return (
    <TextInput
      w={90}
      aria-label="Event ID"
      placeholder="Event ID"
      value={value}
      error={isEventId(value) ? undefined : 'Enter a number or *.'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** An empty field matches every event, as `*` does. */
export function isEventId(text: string): boolean {
  const id = readEventId(text)
  return text.trim() === '' || id === '*' || EventId.safeParse(id).success
}

/** The requested number; undefined = all. */
export function eventIdOf(text: string): number | undefined {
  const id = readEventId(text)
  return id === '*' ? undefined : id
}
