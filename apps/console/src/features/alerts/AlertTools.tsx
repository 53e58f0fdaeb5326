import { Checkbox, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useCallback, useEffect, useRef } from 'react'
import { FilterPills } from '../../ui/inputs/FilterPills.tsx'
import { RangeSelect } from '../../ui/inputs/RangeSelect.tsx'
import { useSlashKey } from '../agents/use-slash-key.ts'
import { useClientNames } from '../clients/ClientsFilter.tsx'
import { useAddressed } from '../dashboard/use-addressed.ts'
import { AlertFilterMenu } from './AlertFilterMenu.tsx'
import classes from './AlertList.module.css'
import { ALSO, type AlertView, type Also } from './alert-view.ts'
import { SEVERITY_LABELS, TYPE_LABELS } from './alert-words.ts'

const TYPING_PAUSE_MS = 300
const ALSO_LABELS: Record<Also, string> = { snoozed: 'Snoozed', held: 'Held back', resolved: 'Resolved' }
const USUAL_DAYS = [1, 7, 30, 90, 180, 365]

interface AlertToolsProps {
  view: AlertView
  onChange: (view: AlertView) => void
  isOfAgent: boolean
}

/** What the list is narrowed to, and what it shows besides what is open. */
export function AlertTools({ view, onChange, isOfAgent }: AlertToolsProps) {
  const narrow = (change: Partial<AlertView>) => onChange({ ...view, ...change })
  const clientNames = useClientNames(view.clients)
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
        <RangeSelect
          className={classes.range}
          label="How far back resolved alerts go"
          usual={USUAL_DAYS}
          days={view.days}
          onDays={(days) => narrow({ days })}
        />
      )}
      <FilterPills
        filters={[
          { label: 'Client', words: clientNames, clear: { clients: [] } },
          {
            label: 'Severity',
            words: view.severities.map((name) => SEVERITY_LABELS[name]),
            clear: { severities: [] },
          },
          { label: 'Type', words: view.types.map((name) => TYPE_LABELS[name]), clear: { types: [] } },
        ]}
        onChange={narrow}
      />
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
