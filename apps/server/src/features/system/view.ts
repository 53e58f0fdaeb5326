import type { DashInfo } from '@muster/contract/api/system'
import type { Preferences } from '@muster/contract/api/users'
import { DEFAULT_DATE_FORMAT } from '@muster/rules/text/layout'
import { type Config, VERSION } from '../../platform/config/config.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { StoredSettings } from '../../platform/config/core-settings.ts'

/** Harmless examples for any machine. */
const RUN_CMD_PLACEHOLDERS = {
  cmd: 'ipconfig /all',
  powershell: 'Get-Volume | Sort-Object SizeRemaining',
  shell: 'df -h && uptime',
}

export function viewDashInfo({
  preferences,
  caller,
  setupOpen,
  settings,
  openMaintenance,
  backupFailed,
  readOnly,
  agentUrl,
  config,
  agentVersion,
}: {
  preferences: Preferences
  caller: Caller
  setupOpen: boolean
  openMaintenance: boolean
  backupFailed: boolean
  readOnly: boolean
  agentUrl: string
  agentVersion: string | undefined
  config: Pick<Config, 'hosted' | 'openAi'>
  settings: Pick<
    StoredSettings,
    | 'enable_server_scripts'
    | 'enable_server_webterminal'
    | 'availability_alerts_asked'
    | 'block_local_user_logon'
    | 'sso_enabled'
  >
}): DashInfo {
  const { agent_dblclick_action: dblClickAction, ...rest } = preferences
  return {
    ...rest,
    dbl_click_action: dblClickAction,
    trmm_version: VERSION,
    latest_trmm_ver: VERSION,
    agent_version: agentVersion ?? null,
    hosted: config.hosted,
    token_is_expired: caller.session?.inGrace === true,
    open_ai_integration_enabled: config.openAi !== undefined,
    run_cmd_placeholder_text: RUN_CMD_PLACEHOLDERS,
    server_scripts_enabled: settings.enable_server_scripts,
    web_terminal_enabled: settings.enable_server_webterminal,
    block_local_user_logon: settings.block_local_user_logon,
    sso_enabled: settings.sso_enabled,
    default_date_format: DEFAULT_DATE_FORMAT,
    setup_open: setupOpen,
    agent_url: agentUrl,
    ask_availability_alerts: caller.isSuperuser && !settings.availability_alerts_asked,
    open_maintenance: openMaintenance,
    backup_failed: backupFailed,
    read_only: readOnly,
  }
}
