import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { Checkbox, MultiSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { AlertType } from '@muster/contract/api/alerts'
import { FilterForm, FilterMenu, FilterPills, INSIDE, RangeSelect } from '../../ui/inputs/FilterMenu.tsx'
import { useSlashKey } from '../agents/use-slash-key.ts'
import { ClientsFilter, useClientNames } from '../clients/ClientsFilter.tsx'
import { useAddressed } from '../dashboard/use-dashboard.ts'
import classes from './AlertList.module.css'
import { type AlertView, ALSO, type Also } from './alert-view.ts'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from './alert-labels.ts'

const TYPING_PAUSE_MS = 300
const ALSO_LABELS: Record<Also, string> = { snoozed: 'Snoozed', held: 'Suppressed', resolved: 'Resolved' }
const USUAL_DAYS = [1, 7, 30, 90, 180, 365]

interface AlertToolsProps {
  view: AlertView
  onChange: (view: AlertView) => void
  isOfAgent: boolean
}

/** The filter of the list, and what it shows besides open alerts. */
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
          label="Time range of resolved alerts"
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

interface AlertFilterMenuProps {
  view: AlertView
  /** One machine's own alerts: no filter by client. */
  isOfAgent: boolean
  onApply: (change: Partial<AlertView>) => void
}

/** Filter by severity, type and client. */
function AlertFilterMenu({ onApply, ...props }: AlertFilterMenuProps) {
  return (
    <FilterMenu>
      {(close) => (
        <Fields
          {...props}
          onApply={(change) => {
            onApply(change)
            close()
          }}
        />
      )}
    </FilterMenu>
  )
}

function Fields({ view, isOfAgent, onApply }: AlertFilterMenuProps) {
  const [severities, setSeverities] = useState([...view.severities])
  const [types, setTypes] = useState([...view.types])
  const [clients, setClients] = useState([...view.clients])
  return (
    <FilterForm
      onApply={() => onApply({ severities, types, clients })}
      onClear={() => onApply({ severities: [], types: [], clients: [] })}
    >
      <MultiSelect
        label="Severity"
        placeholder={severities.length === 0 ? 'Any' : ''}
        data={SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
        value={severities}
        onChange={(values) => setSeverities(SEVERITIES.filter((severity) => values.includes(severity)))}
        comboboxProps={INSIDE}
        data-autofocus
      />
      <MultiSelect
        label="Type"
        placeholder={types.length === 0 ? 'Any' : ''}
        data={AlertType.options.map((value) => ({ value, label: TYPE_LABELS[value] }))}
        value={types}
        onChange={(values) => setTypes(AlertType.options.filter((type) => values.includes(type)))}
        comboboxProps={INSIDE}
      />
      {!isOfAgent && <ClientsFilter chosen={clients} onChange={setClients} />}
    </FilterForm>
  )
}
