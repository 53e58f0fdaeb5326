/** The fields of checks as people read them; forms and conflicts name them alike. */
export const FIELD_LABELS = {
  disk: 'Disk',
  threshold_unit: 'Thresholds in',
  warning_threshold: 'Warning threshold',
  error_threshold: 'Error threshold',
  memory_kind: 'What is measured',
  name: 'Name',
  ip: 'Host name or address',
  alert_severity: 'Severity when it fails',
  svc_name: 'Service',
  restart_if_stopped: 'Start it again when it is stopped',
  pass_if_start_pending: 'Passing while it is starting',
  pass_if_svc_not_exist: 'Passing when there is no such service',
  script: 'Script',
  script_args: 'Arguments',
  env_vars: 'Environment variables',
  timeout: 'Time limit',
  info_return_codes: 'Exit codes for info',
  warning_return_codes: 'Exit codes for warning',
  success_return_codes: 'Exit codes for passing, beside 0',
  metric_thresholds: 'Thresholds of metrics',
  process_name: 'Process',
  expect: 'Passing when',
  max_memory_mb: 'Most memory',
  path: 'Path',
  max_age_minutes: 'Oldest',
  max_size_mb: 'Largest',
  fails_b4_alert: 'Failing runs in a row before it counts',
  run_interval: 'Interval',
} as const

export const fieldLabel = (name: string): string =>
  // Object.entries forgets the names; an unknown one stands for itself.
  Object.entries(FIELD_LABELS).find(([known]) => known === name)?.[1] ?? name
