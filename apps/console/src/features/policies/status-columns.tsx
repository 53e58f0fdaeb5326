import type { CheckOnMachine } from '@muster/contract/policies/policy-items'
import { CheckStatus } from '../checks/CheckStatus.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './PolicyStatus.module.css'

/** What a machine says of a check or a task of a policy. */
export type StatusRow = Pick<
  CheckOnMachine,
  | 'agent_id'
  | 'hostname'
  | 'client_name'
  | 'site_name'
  | 'status'
  | 'alert_severity'
  | 'more_info'
  | 'last_run'
  | 'retcode'
> &
  // Tasks have none.
  Partial<Pick<CheckOnMachine, 'fresh_until'>>

export const STATUS_COLUMNS_PX = 760

export const STATUS_COLUMNS: readonly DataColumn<StatusRow>[] = [
  {
    id: 'status',
    title: 'Status',
    width: '150px',
    render: (row) => <CheckStatus state={row} />,
    watch: ({ status, alert_severity }) => `${status} ${alert_severity}`,
  },
  {
    id: 'hostname',
    title: 'Machine',
    width: 'minmax(140px, 1fr)',
    render: ({ hostname }) => <bdi className={classes.name}>{hostname}</bdi>,
  },
  {
    id: 'place',
    title: 'Client and site',
    width: 'minmax(140px, 1fr)',
    render: (row) => <bdi className={classes.dim}>{placeOf(row)}</bdi>,
  },
  {
    id: 'more_info',
    title: 'What it found',
    width: 'minmax(160px, 2fr)',
    render: (row) => <bdi>{describe(row)}</bdi>,
  },
  {
    id: 'last_run',
    title: 'Last run',
    width: '170px',
    render: ({ last_run }) => (last_run === null ? 'never' : <Time instant={last_run} />),
  },
]

export const STATUS_CARD: DataCard<StatusRow, undefined> = {
  height: 83,
  render: (row) => (
    <>
      <div className="cardLine">
        <bdi className={`${classes.name} cut`}>{row.hostname}</bdi>
        <CheckStatus state={row} />
      </div>
      <div className={`cardLine ${classes.dim}`}>
        <bdi className="cut">{placeOf(row)}</bdi>
        <span>{row.last_run === null ? 'never' : <Time instant={row.last_run} relative />}</span>
      </div>
      <div className="cardLine">
        <bdi className="cut">{describe(row)}</bdi>
      </div>
    </>
  ),
}

const placeOf = ({ client_name, site_name }: StatusRow) => `${client_name}, ${site_name}`

function describe({ more_info, retcode, status }: StatusRow): string {
  if (more_info !== '') return more_info
  return retcode === null || status === 'pending' ? '–' : `exit code ${retcode}`
}
