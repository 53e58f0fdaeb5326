import type { CoreSettings } from '@muster/contract/api/settings'
import type { RecordRetention, Retention } from '@muster/rules/schedules/retention'

export type Numbers = Values & Record<NumberName, number>
export type NumberName =
  | keyof Retention
  | keyof RecordRetention
  | 'metrics_interval'
  | 'recording_keep_days'
  | 'recording_max_mb'
  | 'desktop_recording_max_mb'
/** An emptied field holds ''. */
export type Values = Record<NumberName, number | ''> &
  Pick<
    CoreSettings,
    | 'enable_server_scripts'
    | 'enable_server_webterminal'
    | 'block_local_user_logon'
    | 'record_terminals'
    | 'vnc_targets'
    | 'companyname'
    | 'availability_alerts_servers'
    | 'availability_alerts_workstations'
    | 'availability_alerts_asked'
  >
