import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import {
  type FleetJobDetail,
  getFleetJob,
  type JobMachine,
  listFleetJobMachines,
  retryFleetJob,
} from '@muster/contract/api/fleet-jobs'
import type { Input } from '@muster/contract/endpoint'
import type { JobAgentState } from '@muster/rules/fleet-jobs/job-state'
import { IconDownload, IconReload } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { saveFile } from '../../ui/inputs/save-file.ts'
import { toCsv } from '../../ui/table/CsvButton.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { MachineLink } from '../agents/MachineLink.tsx'
import { MACHINE_STATE_LABELS } from './job-labels.ts'
import { MachineMark } from './JobMarks.tsx'
import classes from './Jobs.module.css'
import { serverNow } from '../../ui/layout/server-clock.ts'

const TYPING_MS = 150
const PAGE_SIZE = 500
const CSV_PART = 1000

interface JobMachinesProps {
  job: FleetJobDetail
  state: JobAgentState | undefined
  group: string | undefined
}

interface Context {
  retry: ((agentId: string) => void) | undefined
}

/** The machines of a job in one state or group. Opening one shows its run in the history. */
export function JobMachines({ job, state, group }: JobMachinesProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const [selected, setSelected] = useState<string>()
  const [size, setSize] = useState(PAGE_SIZE)
  const input = {
    params: { id: job.id },
    query: {
      ...(state === undefined ? {} : { state }),
      ...(group === undefined ? {} : { group }),
      ...(asked === '' ? {} : { search: asked }),
      page_size: size,
    },
  }
  const { data, error, refetch } = useQuery({
    queryKey: queryKey(listFleetJobMachines, input),
    queryFn: ({ signal }) => call(listFleetJobMachines, input, { signal }),
    placeholderData: keepPreviousData,
  })
  const { mutate } = useMutation({
    mutationFn: (agentId: string) =>
      call(retryFleetJob, { params: { id: job.id }, body: { agents: [agentId] } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKey(getFleetJob) }),
  })
  const open = ({ agent_id, exists, history }: JobMachine) => {
    if (!exists) return
    const search = { pane: 'history' as const, ...(history === null ? {} : { entry: `${history}` }) }
    void navigate({ to: '/agents/$agent_id', params: { agent_id }, search })
  }
  const mayRetry = job.steps.retry_failed.refused === null
  const rows = data?.results ?? []
  return (
    <section aria-label="Machines of the job">
      <div className={classes.section}>
        <h2 className={classes.title}>Machines</h2>
        <span className="dim" role="status">
          {data !== undefined && data.total.toLocaleString('en')}
        </span>
        <SearchField
          label="Filter machines of the job"
          placeholder="Filter machines"
          value={search}
          onSearch={setSearch}
          className={list.search}
          size="xs"
        />
        <SaveMachines fileName={`job-${job.id}.csv`} input={input} disabled={rows.length === 0} />
      </div>
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
      ) : (
        <div className={classes.machines}>
          <DataTable
            label="Machines of the job"
            rows={rows}
            rowKey={({ agent_id }) => agent_id}
            columns={COLUMNS}
            context={{ retry: mayRetry ? mutate : undefined }}
            rowHeight={30}
            minWidth={COLUMNS_PX}
            selected={selected}
            onSelect={(row) => setSelected(row?.agent_id)}
            onOpen={open}
            onDoubleClick={open}
            card={hasCards ? CARD : undefined}
            scrollKey={`${state} ${group} ${asked}`}
            empty={<EmptyState message="No machines here." />}
          />
          {data.total > rows.length && (
            <div className="list-end">
              <Button variant="subtle" onClick={() => setSize(Math.min(20_000, size * 10))}>
                Show more
              </Button>
            </div>
          )}
        </div>
      )}
    </section>
  )
}

const endText = ({ state, reason, retcode, line, tries, phase }: JobMachine): string => {
  if (state === 'running') return phase ?? 'running'
  const tried = tries > 1 ? ` after ${tries} tries` : ''
  const exit = retcode === null ? '' : `exit ${retcode}${tried}`
  return [exit, reason ?? (retcode === 0 ? '' : line)].filter(Boolean).join(', ')
}

const COLUMNS: readonly DataColumn<JobMachine, Context>[] = [
  {
    id: 'state',
    title: 'State',
    titleHidden: true,
    width: '36px',
    render: ({ state }) => <MachineMark state={state} />,
    watch: ({ state }) => state,
  },
  { id: 'hostname', title: 'Machine', width: 'minmax(120px, 1fr)', render: JobMachineLink },
  {
    id: 'client',
    title: 'Client / site',
    width: 'minmax(180px, 1.6fr)',
    render: ({ client_name, site_name }) => (
      <bdi className="dim">
        {client_name} / {site_name}
      </bdi>
    ),
  },
  {
    id: 'end',
    title: 'Result',
    width: 'minmax(150px, 1.6fr)',
    render: (row) =>
      row.due_at === null || Date.parse(row.due_at) < serverNow() ? (
        <bdi data-tip={endText(row)}>{endText(row)}</bdi>
      ) : (
        <span className="dim">
          Waits until <Time instant={row.due_at} />
        </span>
      ),
    watch: (row) => row.due_at ?? endText(row),
  },
  {
    id: 'time',
    title: 'Time',
    width: '72px',
    numeric: true,
    render: ({ execution_time }) => (execution_time === null ? '' : `${execution_time.toFixed(1)} s`),
  },
  {
    id: 'retry',
    title: 'Retry',
    titleHidden: true,
    width: '40px',
    render: ({ agent_id, hostname, state }, { retry }) =>
      state === 'failed' &&
      retry !== undefined && (
        <span className={classes.retry} onClick={(event) => event.stopPropagation()}>
          <Tooltip label="Retry">
            <ActionIcon
              aria-label={`Retry ${hostname}`}
              size="sm"
              tabIndex={-1}
              onClick={() => retry(agent_id)}
            >
              <IconReload size={16} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        </span>
      ),
  },
]

const COLUMNS_PX = 660

const CARD: DataCard<JobMachine, Context> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <span className={classes.lead}>
          <MachineMark state={row.state} hasText />
          <span className="cut">
            <JobMachineLink {...row} />
          </span>
        </span>
        <span>{MACHINE_STATE_LABELS[row.state]}</span>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{endText(row)}</bdi>
      </div>
    </>
  ),
}

function JobMachineLink({ agent_id, hostname, exists, history }: JobMachine) {
  if (!exists) return <bdi>{hostname}</bdi>
  const entry = history === null ? undefined : `${history}`
  return <MachineLink agent_id={agent_id} hostname={hostname} pane="history" entry={entry} />
}

type MachinesInput = Input<typeof listFleetJobMachines>

interface SaveMachinesProps {
  fileName: string
  input: MachinesInput
  disabled: boolean
}

/** Saves all machines of the filter, not only those that the table has loaded. */
function SaveMachines({ fileName, input, disabled }: SaveMachinesProps) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const rows = await readAll(input)
      saveFile(fileName, `\uFEFF${toCsv(machinesTable(rows))}`, 'text/csv')
    },
  })
  return (
    <Button
      variant="default"
      size="xs"
      disabled={disabled}
      loading={isPending}
      leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
      aria-label="Download these machines as CSV"
      onClick={() => mutate()}
    >
      CSV
    </Button>
  )
}

/** Read in parts: the server answers others in between. */
async function readAll({ params, query }: MachinesInput): Promise<JobMachine[]> {
  const rows: JobMachine[] = []
  for (;;) {
    const after = rows.at(-1)?.agent_id
    const part = { ...query, page_size: CSV_PART, ...(after === undefined ? {} : { after }) }
    const { results } = await call(listFleetJobMachines, { params, query: part })
    rows.push(...results)
    if (results.length < CSV_PART) return rows
  }
}

function machinesTable(rows: readonly JobMachine[]): (string | number | null)[][] {
  return [
    ['Machine', 'Client', 'Site', 'State', 'Exit code', 'Result', 'Tries', 'Started', 'Finished', 'Seconds'],
    ...rows.map((row) => [
      row.hostname,
      row.client_name,
      row.site_name,
      MACHINE_STATE_LABELS[row.state],
      row.retcode,
      row.reason ?? row.line,
      row.tries,
      row.started_at,
      row.finished_at,
      row.execution_time,
    ]),
  ]
}
