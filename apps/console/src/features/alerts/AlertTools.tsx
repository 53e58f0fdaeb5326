import { Checkbox, Pill, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { clientsQuery, useMay } from '../../app/queries.ts'
import { useSlashKey } from '../agents/use-slash-key.ts'
import { useAddressed } from '../dashboard/use-addressed.ts'
import { AlertFilterMenu } from './AlertFilterMenu.tsx'
import classes from './AlertList.module.css'
import { ALSO, type AlertView, type Also } from './alert-view.ts'
import { SEVERITY_LABELS, TYPE_LABELS } from './alert-words.ts'

const TYPING_PAUSE_MS = 300
const ALSO_LABELS: Record<Also, string> = { snoozed: 'Snoozed', held: 'Held back', resolved: 'Resolved' }
const RANGES = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '180', label: 'Last 180 days' },
  { value: '365', label: 'Last 365 days' },
  { value: '0', label: 'Everything' },
] as const

interface AlertToolsProps {
  view: AlertView
  onChange: (view: AlertView) => void
  isOfAgent: boolean
}

/** What the list is narrowed to, and what it shows besides what is open. */
export function AlertTools({ view, onChange, isOfAgent }: AlertToolsProps) {
  const narrow = (change: Partial<AlertView>) => onChange({ ...view, ...change })
  return (
    <div className={classes.tools}>
      <SearchField view={view} onChange={onChange} />
      <AlertFilterMenu view={view} isOfAgent={isOfAgent} onApply={narrow} />
      <div className={classes.also} role="group" aria-label="Also show">
        {ALSO.map((also) => (
          <Checkbox
            key={also}
            size="xs"
            label={ALSO_LABELS[also]}
            checked={view.also.includes(also)}
            onChange={(event) => {
              const others = view.also.filter((other) => other !== also)
              narrow({ also: event.currentTarget.checked ? [...others, also] : others })
            }}
          />
        ))}
      </div>
      {view.also.includes('resolved') && (
        <Select
          size="xs"
          className={classes.range}
          aria-label="How far back resolved alerts go"
          data={rangesWith(view.days)}
          value={`${view.days}`}
          allowDeselect={false}
          onChange={(days) => days !== null && narrow({ days: Number(days) })}
        />
      )}
      <FilterPills view={view} onChange={narrow} />
    </div>
  )
}

function SearchField({ view, onChange }: Pick<AlertToolsProps, 'view' | 'onChange'>) {
  const field = useRef<HTMLInputElement>(null)
  useSlashKey(field)
  const latest = useRef(view)
  useEffect(() => {
    latest.current = view
  }, [view])
  const write = useCallback(
    (search: string) => onChange({ ...latest.current, search: search.trim() }),
    [onChange],
  )
  const [text, setText] = useAddressed(view.search, write, TYPING_PAUSE_MS)
  return (
    <TextInput
      ref={field}
      size="xs"
      className={classes.search ?? ''}
      aria-label="Search alerts"
      placeholder="Search message, machine, client, site"
      leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') setText(text, 'now')
        if (event.key === 'Escape' && text !== '') setText('', 'now')
      }}
    />
  )
}

/** What the list is narrowed to; each can be taken away. */
function FilterPills({
  view,
  onChange,
}: {
  view: AlertView
  onChange: (change: Partial<AlertView>) => void
}) {
  const mayList = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayList && view.clients.length > 0 })
  const clientName = (id: number) => clients.find((client) => client.id === id)?.name ?? `${id}`
  const pills = [
    { label: 'Client', words: view.clients.map(clientName), clear: { clients: [] } },
    {
      label: 'Severity',
      words: view.severities.map((name) => SEVERITY_LABELS[name]),
      clear: { severities: [] },
    },
    { label: 'Type', words: view.types.map((name) => TYPE_LABELS[name]), clear: { types: [] } },
  ].filter(({ words }) => words.length > 0)
  return pills.map(({ label, words, clear }) => (
    <Pill
      key={label}
      className={classes.pill ?? ''}
      withRemoveButton
      onRemove={() => onChange(clear)}
      removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, tabIndex: 0, 'aria-hidden': false }}
    >
      {label}: {words.join(', ')}
    </Pill>
  ))
}

/** An address may name a range that is none of the usual ones. */
function rangesWith(days: number) {
  const isUsual = RANGES.some(({ value }) => value === `${days}`)
  return [...(isUsual ? [] : [{ value: `${days}`, label: `Last ${days} days` }]), ...RANGES]
}
