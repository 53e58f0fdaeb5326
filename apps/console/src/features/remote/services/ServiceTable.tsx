import { useMediaQuery } from '@mantine/hooks'
import type { MachineService, ServiceAction, WantedStartType } from '@muster/contract/agent/services'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconFileText, IconPlayerPlay, IconPlayerStop, IconRefresh, IconSettings } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Button, Select } from '@mantine/core'
import { controlService, getServiceLog, listServices, setStartType } from '@muster/contract/api/services'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from '@mantine/form'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { divider, type MenuEntry, type Point } from '../../../ui/dialog/menu-entry.ts'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { OutputBox } from '../../../ui/layout/OutputBox.tsx'
import { FormDialog, FormError } from '../../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { type DotState, StatusDot } from '../../../ui/layout/StatusDot.tsx'
import type { DataCard, DataColumn, TableSort } from '../../../ui/table/data-column.ts'

const START_TYPE_LABELS: Record<MachineService['start_type'], string> = {
  auto: 'Automatic',
  manual: 'Manual',
  disabled: 'Disabled',
  fixed: 'Managed by the system',
}

const startLabel = ({ start_type, autodelay }: MachineService) =>
  `${START_TYPE_LABELS[start_type]}${start_type === 'auto' && autodelay ? ' (delayed)' : ''}`

/** Failed services first. */
const STATUS_ORDER = ['failed', 'stopping', 'starting', 'paused', 'running', 'stopped', 'unknown']

const VALUES: Record<string, (service: MachineService) => number | string> = {
  name: ({ display_name }) => display_name.toLowerCase(),
  status: ({ status }) => STATUS_ORDER.indexOf(status),
  start: startLabel,
  pid: ({ pid }) => pid,
  user: ({ username }) => username.toLowerCase(),
}

/** Services that contain all words, in the order of a column. */
function findServices(
  services: readonly MachineService[],
  search: string,
  { column, descending }: TableSort,
): MachineService[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const valueOf = VALUES[column] ?? (({ name }) => name)
  const sign = descending ? -1 : 1
  return services
    .filter((service) => words.every((word) => textOf(service).includes(word)))
    .toSorted((a, b) => {
      const [one, other] = [valueOf(a), valueOf(b)]
      if (one !== other) return (one < other ? -1 : 1) * sign
      return a.name < b.name ? -1 : 1
    })
}

function textOf(service: MachineService): string {
  const { name, display_name, description, status, username } = service
  return `${name} ${display_name} ${description} ${status} ${username} ${startLabel(service)}`.toLowerCase()
}

interface ServiceTableProps {
  agent: AgentDetail
  services: readonly MachineService[]
  search: string
}

type Open = { service: MachineService } & (
  | { at: Point }
  | { action: ServiceAction }
  | { what: 'log' | 'start-type' }
)

export function ServiceTable({ agent, services, search }: ServiceTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [sort, setSort] = useState({ column: 'name', descending: false })
  const [selected, setSelected] = useState<string>()
  const [open, setOpen] = useState<Open>()
  const rows = useMemo(() => findServices(services, search, sort), [services, search, sort])
  const close = () => setOpen(undefined)
  const openMain = (service: MachineService) =>
    setOpen({ service, what: hasLogs(agent) ? 'log' : 'start-type' })
  return (
    <div className="pane">
      <DataTable
        label="Services"
        rows={rows}
        rowKey={({ name }) => name}
        columns={SERVICE_COLUMNS}
        context={undefined}
        rowHeight={28}
        minWidth={SERVICE_COLUMNS_PX}
        sort={sort}
        onSort={(column) =>
          setSort((before) => ({ column, descending: before.column === column && !before.descending }))
        }
        selected={selected}
        onSelect={(service) => setSelected(service?.name)}
        onOpen={openMain}
        onDoubleClick={openMain}
        onMenu={(service, at) => setOpen({ service, at })}
        card={hasCards ? SERVICE_CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState message={services.length === 0 ? 'No services' : 'No services match the search.'} />
        }
      />
      {open !== undefined && (
        <ContextMenu
          label={`Service ${open.service.display_name}`}
          at={'at' in open ? open.at : undefined}
          entries={menuOf(agent, open.service, setOpen)}
          onClose={() => setOpen((now) => (now !== undefined && 'at' in now ? undefined : now))}
        />
      )}
      {open !== undefined && 'action' in open && (
        <ControlServiceDialog agent={agent} service={open.service} action={open.action} onClose={close} />
      )}
      {open !== undefined && 'what' in open && open.what === 'log' && (
        <ServiceLogDialog agent={agent} service={open.service} onClose={close} />
      )}
      {open !== undefined && 'what' in open && open.what === 'start-type' && (
        <StartTypeDialog agent={agent} service={open.service} onClose={close} />
      )}
    </div>
  )
}

/** Windows writes what services say into its event logs, by a source that need not be the service's name. */
const hasLogs = ({ plat }: Pick<AgentDetail, 'plat'>) => plat !== 'windows'

function menuOf(
  agent: Pick<AgentDetail, 'plat'>,
  service: MachineService,
  setOpen: (open: Open) => void,
): MenuEntry[] {
  const main = { shortcut: 'Enter' }
  const isUp = service.status === 'running' || service.status === 'starting'
  const control = (action: ServiceAction) => () => setOpen({ service, action })
  return [
    {
      id: 'start',
      label: 'Start',
      icon: IconPlayerPlay,
      disabledReason: isUp ? 'Already running' : undefined,
      run: control('start'),
    },
    {
      id: 'stop',
      label: 'Stop',
      icon: IconPlayerStop,
      danger: true,
      disabledReason: service.status === 'stopped' ? 'Not running' : undefined,
      run: control('stop'),
    },
    { id: 'restart', label: 'Restart', icon: IconRefresh, run: control('restart') },
    divider('more'),
    ...(hasLogs(agent)
      ? [
          {
            id: 'log',
            label: 'Log',
            icon: IconFileText,
            ...main,
            run: () => setOpen({ service, what: 'log' }),
          },
        ]
      : []),
    {
      id: 'start-type',
      label: 'Start type',
      icon: IconSettings,
      ...(hasLogs(agent) ? {} : main),
      run: () => setOpen({ service, what: 'start-type' }),
    },
  ]
}

const LINES = 500

interface ServiceLogDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  service: MachineService
  onClose: () => void
}

/** Log entries of a service on its machine, newest last. */
function ServiceLogDialog({ agent, service, onClose }: ServiceLogDialogProps) {
  const params = { agent_id: agent.agent_id, name: service.name }
  const { data, error, refetch, isFetching } = useQuery({
    ...query(getServiceLog, { params, query: { lines: LINES } }),
    retry: false,
    gcTime: 0,
  })
  return (
    <Dialog
      title={`Log of ${service.display_name} on ${agent.hostname}`}
      onClose={onClose}
      footer={
        <>
          <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
      ) : (
        <OutputBox
          label="Log"
          segments={data.lines.map((line) => ({ text: `${line}\n` }))}
          empty="No log entries"
          growing
        />
      )}
    </Dialog>
  )
}

const VERBS = { start: 'Start', stop: 'Stop', restart: 'Restart' } as const
const MESSAGES: Record<ServiceAction, string> = {
  start: 'Runs until it is stopped.',
  stop: 'Dependent services stop, too.',
  restart: 'Unavailable for a moment.',
}

interface ControlServiceDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  service: MachineService
  action: ServiceAction
  onClose: () => void
}

/** Names the service and the machine; shows the machine's error in place. */
function ControlServiceDialog({ agent, service, action, onClose }: ControlServiceDialogProps) {
  const queryClient = useQueryClient()
  const { name, display_name } = service
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call(controlService, { params: { agent_id: agent.agent_id, name }, body: { sv_action: action } }),
    meta: { errorsShown: true },
    onSuccess: async (after) => {
      notifyDone(`${display_name} is ${after.status}.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: queryKey(listServices) })
    },
  })
  return (
    <ConfirmDialog
      title={`${VERBS[action]} ${display_name} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <p>{MESSAGES[action]}</p>
        </>
      }
      confirmLabel={VERBS[action]}
      danger={action === 'stop'}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}

const CHOICES: { value: WantedStartType; label: string }[] = [
  { value: 'auto', label: 'Automatic' },
  { value: 'autodelay', label: 'Automatic, delayed' },
  { value: 'manual', label: 'Manual' },
  { value: 'disabled', label: 'Disabled' },
]

interface StartTypeDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'plat'>
  service: MachineService
  onClose: () => void
}

/** Start type of a service; only choices of the machine's system are offered. */
function StartTypeDialog({ agent, service, onClose }: StartTypeDialogProps) {
  const queryClient = useQueryClient()
  const { name, display_name, start_type, autodelay } = service
  const now = start_type === 'auto' && autodelay ? 'autodelay' : start_type
  const form = useForm<{ startType: string }>({ initialValues: { startType: now } })
  const choices = CHOICES.filter(({ value }) => value !== 'autodelay' || agent.plat === 'windows')
  return (
    <FormDialog
      title={`Start type of ${display_name} on ${agent.hostname}`}
      form={form}
      save={async ({ startType }) => {
        const wanted = CHOICES.find(({ value }) => value === startType)
        if (wanted === undefined) return
        await call(setStartType, {
          params: { agent_id: agent.agent_id, name },
          body: { startType: wanted.value },
        })
        await queryClient.invalidateQueries({ queryKey: queryKey(listServices) })
      }}
      done={`Start type of ${display_name} changed.`}
      onClose={onClose}
      size="sm"
    >
      <Select
        label="Start type"
        data={now === 'fixed' ? [{ value: 'fixed', label: 'Managed by the system' }, ...choices] : choices}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('startType')}
      />
    </FormDialog>
  )
}

const DOTS: Record<MachineService['status'], DotState> = {
  running: 'online',
  starting: 'away',
  stopping: 'away',
  paused: 'away',
  stopped: 'offline',
  failed: 'overdue',
  unknown: 'offline',
}

const SERVICE_COLUMNS: readonly DataColumn<MachineService>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(150px, 1fr)',
    sortable: true,
    render: ({ display_name, name }) => <span data-tip={name}>{display_name}</span>,
  },
  {
    id: 'status',
    title: 'State',
    width: '110px',
    sortable: true,
    render: ({ status }) => <StatusDot state={DOTS[status]} label={status} />,
    watch: ({ status }) => status,
  },
  { id: 'start', title: 'Start', width: '140px', sortable: true, render: startLabel },
  {
    id: 'pid',
    title: 'PID',
    width: '80px',
    numeric: true,
    sortable: true,
    render: ({ pid }) => (pid === 0 ? '' : pid),
  },
  {
    id: 'user',
    title: 'User',
    width: 'minmax(90px, 0.6fr)',
    sortable: true,
    render: ({ username }) => username,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(180px, 2fr)',
    render: ({ description, binpath }) => <span data-tip={binpath}>{description}</span>,
  },
]

const SERVICE_COLUMNS_PX = 820

const SERVICE_CARD: DataCard<MachineService, undefined> = {
  height: 61,
  render: (service) => (
    <>
      <div className="cardLine">
        <span className="cut">{service.display_name}</span>
        <StatusDot state={DOTS[service.status]} label={service.status} />
      </div>
      <div className="cardLine dim">
        <span className="cut">{service.description}</span>
        <span>{startLabel(service)}</span>
      </div>
    </>
  ),
}
