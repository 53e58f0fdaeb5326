import type { CoreSettings } from '@muster/contract/api/settings'

export function testSettings(more: Partial<CoreSettings> = {}): CoreSettings {
  return {
    check_history_prune_days: 7,
    check_history_5min_prune_days: 90,
    check_history_hourly_prune_days: 730,
    agent_history_prune_days: 60,
    resolved_alerts_prune_days: 365,
    audit_log_prune_days: 0,
    metrics_interval: 60,
    record_terminals: 'servers',
    recording_keep_days: 90,
    companyname: '',
    server_policy: null,
    workstation_policy: null,
    alert_template: null,
    vnc_targets: ['localhost:5900-5999'],
    recording_max_mb: 50,
    desktop_recording_max_mb: 200,
    enable_server_scripts: false,
    enable_server_webterminal: false,
    sso_enabled: false,
    block_local_user_logon: false,
    password_min_length: 10,
    availability_alerts_servers: true,
    availability_alerts_workstations: false,
    availability_alerts_asked: true,
    modified: '2026-11-21T10:00:00.000Z',
    ...more,
  }
}
