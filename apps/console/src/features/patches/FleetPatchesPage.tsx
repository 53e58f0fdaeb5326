import { Button, Checkbox, Select } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import {
  decidePatches,
  findPatches,
  type FleetPatch,
  getPatchSummary,
  type PatchAction,
} from '@muster/contract/api/patches'
import { IconArrowBackUp, IconBan, IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { usePages } from '../../app/api/use-pages.ts'
import type { PatchesSearch } from '../../app/search.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { notify } from '../../app/shell/notify.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import halves from '../../ui/layout/ListAndDetail.module.css'
import { PREPARED_ITEM, prepareJob } from '../fleet-jobs/prepared-job.ts'
import { FLEET_CARD, FLEET_COLUMNS, FLEET_COLUMNS_PX } from './fleet-columns.tsx'
import classes from './FleetPatches.module.css'
import { PatchFailures } from './PatchFailures.tsx'
import { PatchMachines } from './PatchMachines.tsx'
import { fleetTable } from './patch-rows.ts'

const TYPING_MS = 150
const FORBIDDEN = 'Your role does not allow you to see the patches of machines.'

/** Patches that machines can install, over all machines: decided here, a selected one shows its machines. */
export function FleetPatchesPage() {
  usePageTitle('Patches')
  const may = useMay('can_manage_winupdates')
  return (
    <div className={list.pane}>
      {may ? (
        <FleetPatches />
      ) : (
        <>
          <header className={classes.head}>
            <h1 className="page-title">Patches</h1>
          </header>
          <NoPermission message={FORBIDDEN} />
        </>
      )}
    </div>
  )
}

const SEVERITIES = [
  { value: 'Critical', label: 'Critical' },
  { value: 'Important', label: 'Important' },
  { value: 'Moderate', label: 'Moderate' },
  { value: 'Low', label: 'Low' },
  { value: 'none', label: 'No severity' },
]
const DECISIONS = [
  { value: 'undecided', label: 'Undecided' },
  { value: 'approved', label: 'Approved' },
  { value: 'ignored', label: 'Ignored' },
]

function FleetPatches() {
  const view = useSearch({ from: '/signed-in/gated/frame/patches' })
  const navigate = useNavigate()
  const { data: clients } = useQuery(clientsQuery)
  const [search] = useDebouncedValue(view.search ?? '', TYPING_MS)
  const client = view.client === undefined ? undefined : Number(view.client)
  const filter = {
    search,
    sort: view.sort ?? ('severity' as const),
    ...(view.severity === undefined ? {} : { severity: view.severity }),
    ...(view.decision === undefined ? {} : { decision: view.decision }),
    ...(client === undefined ? {} : { client }),
  }
  const patches = useFleetPatches(filter)
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set())
  const rows = patches.rows ?? []
  const chosen = rows.filter(({ patch }) => checked.has(patch))
  const show = (change: Partial<PatchesSearch>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false })
  const isFiltered = search !== '' || view.severity !== undefined || view.decision !== undefined
  return (
    <>
      <PatchesHead client={client} view={view} show={show} />
      {view.show === 'failures' && <PatchFailures client={client} />}
      <div className={list.tools}>
        <SearchField
          label="Search patches"
          placeholder="Title, KB or package"
          value={view.search ?? ''}
          onSearch={(text) => show({ search: text || undefined })}
          className={list.search}
        />
        <Select
          className={classes.filter ?? ''}
          aria-label="Severity"
          placeholder="Any severity"
          data={SEVERITIES}
          clearable
          value={view.severity ?? null}
          onChange={(value) => show({ severity: (value ?? undefined) as PatchesSearch['severity'] })}
        />
        <Select
          className={classes.filter ?? ''}
          aria-label="Decision"
          placeholder="Any decision"
          data={DECISIONS}
          clearable
          value={view.decision ?? null}
          onChange={(value) => show({ decision: (value ?? undefined) as PatchesSearch['decision'] })}
        />
        <Select
          className={classes.filter ?? ''}
          aria-label="Client"
          placeholder="All clients"
          data={(clients ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))}
          clearable
          searchable
          value={view.client ?? null}
          onChange={(value) => show({ client: value ?? undefined, patch: undefined })}
        />
        <div className={list.sums}>
          <span role="status">
            {patches.total !== undefined && `${patches.total} ${patches.total === 1 ? 'patch' : 'patches'}`}
          </span>
          <CsvButton
            of="patches"
            fileName="patches.csv"
            size="xs"
            table={rows.length === 0 ? undefined : () => fleetTable(rows)}
          />
        </div>
      </div>
      <ChosenBar rows={rows} chosen={chosen} client={client} onCheck={setChecked} />
      <div className={halves.halves} data-open={view.patch !== undefined || undefined}>
        <div className={halves.list}>{renderList()}</div>
        {view.patch !== undefined && (
          <PatchMachines
            key={view.patch}
            patch={view.patch}
            name={rows.find(({ patch }) => patch === view.patch)?.title}
            client={client}
            onClose={() => show({ patch: undefined })}
          />
        )}
      </div>
    </>
  )

  function renderList() {
    if (patches.rows === undefined) {
      if (patches.error === null) return <SkeletonRows rows={10} />
      if (isRefused(patches.error)) return <NoPermission message={FORBIDDEN} />
      return <ErrorState {...describeError(patches.error)} onRetry={patches.retry} />
    }
    return (
      <>
        <FleetTable
          rows={rows}
          view={view}
          show={show}
          checked={checked}
          onCheck={setChecked}
          empty={
            isFiltered ? (
              <EmptyState message="No patches match the filter.">
                <Button
                  variant="default"
                  onClick={() => show({ search: undefined, severity: undefined, decision: undefined })}
                >
                  Clear filter
                </Button>
              </EmptyState>
            ) : (
              <NothingPending client={client} />
            )
          }
        />
        {patches.more !== undefined && (
          <div className="list-end">
            <Button variant="subtle" loading={patches.more.busy} onClick={patches.more.load}>
              Show more
            </Button>
          </div>
        )}
      </>
    )
  }
}

const PAGE_SIZE = 200
type Filter = Omit<Parameters<typeof call<typeof findPatches>>[1]['query'] & object, 'page' | 'page_size'>

function useFleetPatches(filter: Filter) {
  const request = { ...filter, page_size: PAGE_SIZE }
  return usePages(queryKey(findPatches, { query: request }), (page, signal) =>
    call(findPatches, { query: { ...request, page } }, { signal }),
  )
}

interface View {
  view: PatchesSearch
  show: (change: Partial<PatchesSearch>) => void
}

/** The state of the fleet: how many machines are up to date, what failed, and the last 90 days. */
function PatchesHead({ client, view, show }: View & { client: number | undefined }) {
  const { data } = useQuery(query(getPatchSummary, { query: client === undefined ? {} : { client } }))
  const isOpen = view.show === 'failures'
  const grave = data?.severities.filter(({ severity }) => severity === 'Critical' || severity === 'Important')
  return (
    <header className={classes.head}>
      <h1 className="page-title">Patches</h1>
      {data !== undefined && (
        <ul className={classes.counts} aria-label="Compliance">
          <li className={classes.count}>
            <strong>{data.up_to_date}</strong> of {data.scanned} scanned machines up to date
            {data.scanned > 0 && ` (${Math.floor((100 * data.up_to_date) / data.scanned)} %)`}
          </li>
          {grave?.map(({ severity, security, machines }) => (
            <li key={`${severity} ${security}`} className={classes.count} data-tone="negative">
              <strong>{machines}</strong> {machines === 1 ? 'machine misses' : 'machines miss'}{' '}
              {severity.toLowerCase()} {security ? 'security patches' : 'patches'}
            </li>
          ))}
          {data.machines > data.scanned && (
            <li className={classes.count}>
              <strong>{data.machines - data.scanned}</strong> not scanned yet
            </li>
          )}
          <li>
            <Button
              variant="subtle"
              size="compact-sm"
              className={classes.toggle ?? ''}
              aria-expanded={isOpen}
              onClick={() => show({ show: isOpen ? undefined : 'failures' })}
            >
              {isOpen ? 'Hide failures' : 'Show failures'}
            </Button>
          </li>
        </ul>
      )}
      {data !== undefined && data.days.length > 1 && <Days days={data.days} />}
    </header>
  )
}

function Days({ days }: { days: { day: string; scanned: number; up_to_date: number }[] }) {
  const percent = ({ scanned, up_to_date }: { scanned: number; up_to_date: number }) =>
    scanned === 0 ? 0 : Math.floor((100 * up_to_date) / scanned)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  return (
    <div
      className={classes.days}
      role="img"
      aria-label={`Machines up to date: ${percent(first)} % on ${first.day}, ${percent(last)} % on ${last.day}`}
      title={`Machines up to date: ${percent(first)} % on ${first.day}, ${percent(last)} % on ${last.day}`}
    >
      {days.map((one) => (
        <span key={one.day} className={classes.day} style={{ height: `${Math.max(4, percent(one))}%` }} />
      ))}
    </div>
  )
}

/** Why the list is empty: all machines are up to date, or not scanned yet. */
function NothingPending({ client }: { client: number | undefined }) {
  const { data, isPending } = useQuery(
    query(getPatchSummary, { query: client === undefined ? {} : { client } }),
  )
  const { data: clients } = useQuery(clientsQuery)
  const { open } = useDialog()
  const missing = data === undefined ? 0 : data.machines - data.scanned
  const name = clients?.find(({ id }) => id === client)?.name
  if (isPending) return null
  if (missing === 0)
    return <EmptyState message="No machine has a pending patch. Agents scan every six hours." />
  const scan = () => {
    prepareJob({
      label: 'without a patch scan',
      agentIds: [],
      form: {
        action: 'scan_patches',
        target: 'search',
        search: name === undefined ? UNSCANNED : `${UNSCANNED} client:${JSON.stringify(name)}`,
      },
    })
    open('new-job', PREPARED_ITEM)
  }
  return (
    <EmptyState message={describeUnscanned(missing)}>
      {(client === undefined || name !== undefined) && (
        <Button variant="default" onClick={scan}>
          Scan {missing === 1 ? 'the machine' : 'these machines'}
        </Button>
      )}
    </EmptyState>
  )
}

const UNSCANNED = 'patch:unscanned'

const describeUnscanned = (missing: number) =>
  `${missing} ${missing === 1 ? 'machine is' : 'machines are'} not scanned for patches yet. The others have no pending patch.`

interface ChosenBarProps {
  rows: readonly FleetPatch[]
  chosen: readonly FleetPatch[]
  client: number | undefined
  onCheck: (patches: ReadonlySet<string>) => void
}

const CHANGES = [
  { action: 'approve', label: 'Approve', done: 'Approved', icon: IconCheck },
  { action: 'ignore', label: 'Ignore', done: 'Ignored', icon: IconBan },
  { action: 'inherit', label: 'Reset decision', done: 'Decision reset', icon: IconArrowBackUp },
] as const

/** Decides about the checked patches, on all machines that can install them. */
function ChosenBar({ rows, chosen, client, onCheck }: ChosenBarProps) {
  const { mutate, isPending } = useMutation({
    mutationFn: (action: PatchAction) =>
      call(decidePatches, {
        body: {
          patches: chosen.map(({ patch }) => patch),
          action,
          ...(client === undefined ? {} : { client }),
        },
      }),
    onSuccess: ({ machines }, action) => {
      onCheck(new Set())
      const { done } = CHANGES.find((change) => change.action === action) ?? CHANGES[0]
      notify(`${done} on ${machines === 1 ? '1 machine' : `${machines} machines`}.`, {
        tone: 'positive',
        preset: 'feedback',
      })
    },
  })
  return (
    <div className={list.tools}>
      <Checkbox
        size="xs"
        aria-label="Select all listed patches"
        disabled={rows.length === 0}
        checked={chosen.length > 0 && chosen.length === rows.length}
        indeterminate={chosen.length > 0 && chosen.length < rows.length}
        onChange={({ currentTarget }) =>
          onCheck(new Set(currentTarget.checked ? rows.slice(0, PAGE_SIZE).map(({ patch }) => patch) : []))
        }
      />
      <span role="status">
        {chosen.length === 0 ? 'Select patches to decide' : `${chosen.length} selected`}
      </span>
      {chosen.length > 0 &&
        CHANGES.map(({ action, label, icon: Icon }) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            leftSection={<Icon size={14} stroke={1.75} aria-hidden />}
            disabled={isPending}
            onClick={() => mutate(action)}
          >
            {label}
          </Button>
        ))}
    </div>
  )
}

interface FleetTableProps extends View {
  rows: readonly FleetPatch[]
  checked: ReadonlySet<string>
  onCheck: (patches: ReadonlySet<string>) => void
  empty: ReactNode
}

const SORTS = { severity: 'severity', '-machines': 'machines', title: 'title', '-first_seen': 'first_seen' }

function FleetTable({ rows, view, show, checked, onCheck, empty }: FleetTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const toggle = ({ patch }: FleetPatch) => {
    const next = new Set(checked)
    if (!next.delete(patch)) next.add(patch)
    onCheck(next)
  }
  const sort = view.sort ?? 'severity'
  return (
    <DataTable
      label="Patches of all machines"
      rows={rows}
      rowKey={({ patch }) => patch}
      columns={FLEET_COLUMNS}
      context={{ checked, toggle }}
      rowHeight={32}
      minWidth={FLEET_COLUMNS_PX}
      sort={{ column: SORTS[sort], descending: sort.startsWith('-') }}
      onSort={(column) => {
        const next = (Object.keys(SORTS) as (keyof typeof SORTS)[]).find((key) => SORTS[key] === column)
        show({ sort: next === 'severity' ? undefined : next })
      }}
      selected={view.patch}
      onSelect={(row) => show({ patch: row?.patch })}
      onToggle={toggle}
      card={hasCards || view.patch !== undefined ? FLEET_CARD : undefined}
      scrollKey={`${view.search} ${view.severity} ${view.decision} ${view.client} ${sort}`}
      empty={empty}
    />
  )
}
