import { useMediaQuery } from '@mantine/hooks'
import type { MachineService } from '@muster/contract/agent/services'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconFileText, IconPlayerPlay, IconPlayerStop, IconRefresh, IconSettings } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { divider, type MenuEntry, type Point } from '../../../ui/dialog/menu-entry.ts'
import classes from '../../../ui/layout/ListPane.module.css'
import { ControlServiceDialog, type ServiceWish } from './ControlServiceDialog.tsx'
import { ServiceLogDialog } from './ServiceLogDialog.tsx'
import { StartTypeDialog } from './StartTypeDialog.tsx'
import { SERVICE_CARD, SERVICE_COLUMNS, SERVICE_COLUMNS_PX } from './service-columns.tsx'
import { findServices } from './service-rows.ts'

interface ServiceTableProps {
  agent: AgentDetail
  services: readonly MachineService[]
  search: string
}

type Open = { service: MachineService } & (
  | { at: Point }
  | { wish: ServiceWish }
  | { what: 'log' | 'start-type' }
)

export function ServiceTable({ agent, services, search }: ServiceTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [sort, setSort] = useState({ column: 'name', descending: false })
  const [selected, setSelected] = useState<string>()
  const [open, setOpen] = useState<Open>()
  const rows = useMemo(() => findServices(services, search, sort), [services, search, sort])
  const close = () => setOpen(undefined)
  return (
    <div className={classes.table}>
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
        onOpen={(service) => setOpen({ service, what: 'log' })}
        onDoubleClick={(service) => setOpen({ service, what: 'log' })}
        onMenu={(service, at) => setOpen({ service, at })}
        card={hasCards ? SERVICE_CARD : undefined}
        scrollKey={`${sort.column} ${sort.descending} ${search}`}
        empty={
          <EmptyState
            message={
              services.length === 0 ? 'This machine has no services.' : 'No service has all of these words.'
            }
          />
        }
      />
      {open !== undefined && (
        <ContextMenu
          label={`Service ${open.service.display_name}`}
          at={'at' in open ? open.at : undefined}
          entries={menuOf(open.service, setOpen)}
          onClose={() => setOpen((now) => (now !== undefined && 'at' in now ? undefined : now))}
        />
      )}
      {open !== undefined && 'wish' in open && (
        <ControlServiceDialog agent={agent} service={open.service} wish={open.wish} onClose={close} />
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

function menuOf(service: MachineService, setOpen: (open: Open) => void): MenuEntry[] {
  const isUp = service.status === 'running' || service.status === 'starting'
  const wish = (what: ServiceWish) => () => setOpen({ service, wish: what })
  return [
    {
      id: 'start',
      label: 'Start',
      icon: IconPlayerPlay,
      disabledReason: isUp ? 'It is running.' : undefined,
      run: wish('start'),
    },
    {
      id: 'stop',
      label: 'Stop',
      icon: IconPlayerStop,
      danger: true,
      disabledReason: service.status === 'stopped' ? 'It is not running.' : undefined,
      run: wish('stop'),
    },
    { id: 'restart', label: 'Restart', icon: IconRefresh, run: wish('restart') },
    divider('more'),
    {
      id: 'log',
      label: 'Log',
      icon: IconFileText,
      shortcut: 'Enter',
      run: () => setOpen({ service, what: 'log' }),
    },
    {
      id: 'start-type',
      label: 'Start type',
      icon: IconSettings,
      run: () => setOpen({ service, what: 'start-type' }),
    },
  ]
}
