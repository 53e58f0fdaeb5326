import type { SoftwareMachine } from '@muster/contract/api/software'
import { Link } from '@tanstack/react-router'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import list from '../../ui/layout/ListPane.module.css'
import classes from './Software.module.css'

export const MACHINE_COLUMNS: readonly DataColumn<SoftwareMachine>[] = [
  { id: 'hostname', title: 'Machine', width: 'minmax(110px, 1fr)', render: MachineLink },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(110px, 1fr)',
    render: ({ version }) => <bdi>{version}</bdi>,
    watch: ({ version }) => version,
  },
  {
    id: 'place',
    title: 'Client, site',
    width: 'minmax(120px, 1.2fr)',
    render: ({ client, site }) => (
      <bdi>
        {client}, {site}
      </bdi>
    ),
  },
  {
    id: 'installed',
    title: 'Installed on',
    width: '100px',
    render: ({ install_date }) => install_date,
  },
]

export const MACHINE_COLUMNS_PX = 460

export const MACHINE_CARD: DataCard<SoftwareMachine, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <span className="cut">
          <MachineLink {...row} />
        </span>
        <bdi className="cut">{row.version}</bdi>
      </div>
      <div className={`cardLine ${list.dim}`}>
        <bdi className="cut">
          {row.client}, {row.site}
        </bdi>
        <span>{row.install_date}</span>
      </div>
    </>
  ),
}

function MachineLink({ agent_id, hostname }: Pick<SoftwareMachine, 'agent_id' | 'hostname'>) {
  return (
    <Link
      className={classes.link ?? ''}
      to="/agents/$agent_id"
      params={{ agent_id }}
      search={{ pane: 'software' }}
      tabIndex={-1}
    >
      <bdi>{hostname}</bdi>
    </Link>
  )
}
