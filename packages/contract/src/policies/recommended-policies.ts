import { EVERY_DISK } from '@muster/rules/checks/every-disk'
import type { z } from 'zod'
import type { PolicyDocument } from '../api/policies.ts'
import type { MonitoringType } from '../fields.ts'
import { NO_CONTENT, type PolicyCheck } from './policy-content.ts'

type Thresholds = readonly [warning: number, error: number]

/**
 * Policies to start with, for all servers and for all workstations. A console offers them as drafts; once saved, they
 * are policies like any other.
 */
export const RECOMMENDED_POLICIES: Record<z.infer<typeof MonitoringType>, PolicyDocument> = {
  server: {
    ...startFrom('server'),
    name: 'Recommended for servers',
    desc: 'CPU, memory and every fixed disk. Alerts when a server is overdue.',
    content: {
      ...NO_CONTENT,
      checks: [...loadChecks({ cpu: [80, 95], memory: [85, 95] }), diskCheck([20, 10])],
      agent_settings: {
        check_interval: 120,
        offline_time: 4,
        overdue_time: 10,
        overdue_dashboard_alert: true,
      },
    },
  },
  workstation: {
    ...startFrom('workstation'),
    name: 'Recommended for workstations',
    desc: 'CPU, memory and every fixed disk. Alerts when a workstation is away for a week.',
    content: {
      ...NO_CONTENT,
      checks: [...loadChecks({ cpu: [90, 98], memory: [90, 97] }), diskCheck([15, 5])],
      agent_settings: {
        check_interval: 300,
        offline_time: 10,
        // Users switch them off at night and for holidays.
        overdue_time: 7 * 24 * 60,
        overdue_dashboard_alert: true,
      },
    },
  },
}

function startFrom(type: z.infer<typeof MonitoringType>): PolicyDocument {
  return {
    name: '',
    desc: '',
    active: true,
    enforced: false,
    content: NO_CONTENT,
    targets: [{ level: 'default', monitoring_type: type }],
    excluded_clients: [],
    excluded_sites: [],
    excluded_agents: [],
  }
}

/** Load is high for a moment now and then: five runs in a row count. */
function loadChecks({ cpu, memory }: { cpu: Thresholds; memory: Thresholds }): PolicyCheck[] {
  const schedule = { fails_b4_alert: 5, run_interval: 0 }
  return [
    { settings: { check_type: 'cpuload', ...pairOf(cpu) }, ...schedule },
    { settings: { check_type: 'memory', memory_kind: 'memory', ...pairOf(memory) }, ...schedule },
  ]
}

function diskCheck(thresholds: Thresholds): PolicyCheck {
  return {
    settings: {
      check_type: 'diskspace',
      disk: EVERY_DISK,
      threshold_unit: 'percent',
      ...pairOf(thresholds),
    },
    fails_b4_alert: 1,
    run_interval: 0,
  }
}

function pairOf([warning_threshold, error_threshold]: Thresholds) {
  return { warning_threshold, error_threshold }
}
