import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/SegmentedControl.css'
import { MultiSelect, SegmentedControl, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { AlertPart, AlertType } from '@muster/contract/api/alerts'
import { FilterForm, FilterMenu, FilterPills, INSIDE, RangeSelect } from '../../ui/inputs/FilterMenu.tsx'
import { useSlashKey } from '../agents/use-slash-key.ts'
import { ClientsFilter, useClientNames } from '../clients/ClientsFilter.tsx'
import { useAddressed } from '../dashboard/use-dashboard.ts'
import classes from './AlertList.module.css'
import { type AlertView, includesResolved, toCountsRequest } from './alert-view.ts'
import { countsQuery } from './alerts-query.ts'
import { PART_LABELS, SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from './alert-labels.ts'

const TYPING_PAUSE_MS = 300
const USUAL_DAYS = [1, 7, 30, 90, 180, 365]

interface AlertToolsProps {
  view: AlertView
  onChange: (view: AlertView) => void
  /** Only alerts of this machine. */
  agentId?: string | undefined
}

/** The states with their counts, and the filter. */
export function AlertTools({ view, onChange, agentId }: AlertToolsProps) {
  const narrow = (change: Partial<AlertView>) => onChange({ ...view, ...change })
  const clientNames = useClientNames(view.clients)
  return (
    <div className={classes.tools}>
      <StateTabs view={view} agentId={agentId} onState={(state) => narrow({ state })} />
      <SearchField view={view} onChange={onChange} />
      <AlertFilterMenu view={view} isOfAgent={agentId !== undefined} onApply={narrow} />
      {includesResolved(view) && (
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

interface StateTabsProps {
  view: AlertView
  agentId: string | undefined
  onState: (state: AlertPart) => void
}

/** Each state with its number of alerts that match the filter; live. */
function StateTabs({ view, agentId, onState }: StateTabsProps) {
  const { data: counts } = useQuery({
    ...countsQuery(toCountsRequest(view, agentId)),
    meta: { quiet: true },
  })
  return (
    <div className={classes.states}>
      <SegmentedControl
        size="xs"
        aria-label="State"
        data={AlertPart.options.map((value) => ({
          value,
          label: (
            <>
              {PART_LABELS[value]}{' '}
              {counts !== undefined && (
                <span className={classes.number}>{counts[value].toLocaleString('en')}</span>
              )}
            </>
          ),
        }))}
        value={view.state}
        onChange={onState}
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
