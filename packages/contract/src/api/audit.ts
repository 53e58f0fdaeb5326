import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, Instant } from '../fields.ts'

export const AuditAction = z.enum([
  'login',
  'failed_login',
  'logout',
  'add',
  'modify',
  'delete',
  'view',
  'agent_install',
  'execute_script',
  'execute_command',
  'task_run',
  'bulk_action',
  'remote_session',
  'url_action',
])
export type AuditAction = z.infer<typeof AuditAction>

export const AuditObject = z.enum([
  'user',
  'session',
  'apikey',
  'role',
  'script',
  'snippet',
  'keystore',
  'customfield',
  'tag',
  'view',
  'check',
  'automatedtask',
  'agent',
  'process',
  'service',
  'systemtask',
  'log',
  'file',
  'software',
  'winupdate',
  'winupdatepolicy',
  'client',
  'site',
  'deployment',
  'note',
  'alert',
  'alerttemplate',
  'escalationchain',
  'oncallschedule',
  'maintenance',
  'policy',
  'coresettings',
  'urlaction',
  'webhook',
  'ssoprovider',
  'webterminal',
  'registry',
  'bulk',
])
export type AuditObject = z.infer<typeof AuditObject>

export const AuditEntry = z.object({
  id: z.int(),
  entry_time: Instant,
  username: z.string(),
  /** The name of the API key that the user's program used. */
  api_key: z.string().nullable(),
  agent: z.string().nullable(),
  agent_id: AgentId.nullable(),
  client: z.string().nullable(),
  site: z.string().nullable(),
  action: AuditAction,
  object_type: AuditObject,
  message: z.string(),
  before_value: z.unknown(),
  after_value: z.unknown(),
  ip_address: z.string(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const listAudit = endpoint({
  method: 'PATCH',
  path: '/logs/audit/',
  access: 'can_view_auditlogs',
  withLowDisk: true,
  summary: 'The audit log, filtered, one page',
  body: z.object({
    pagination: z
      .object({
        rowsPerPage: z.int().min(1).max(1000).default(25),
        page: z.int().min(1).default(1),
        sortBy: z.enum(['entry_time', 'username', 'action', 'object_type']).default('entry_time'),
        descending: z.boolean().default(true),
      })
      .default({ rowsPerPage: 25, page: 1, sortBy: 'entry_time', descending: true }),
    agentFilter: z.array(AgentId).max(1000).optional(),
    clientFilter: z.array(Id).max(1000).optional(),
    userFilter: z.array(z.string().max(150)).max(1000).optional(),
    actionFilter: z.array(AuditAction).optional(),
    objectFilter: z.array(AuditObject).optional(),
    /** Days back. */
    timeFilter: z.number().min(0).max(36_500).optional(),
  }),
  response: z.object({ audit_logs: z.array(AuditEntry), total: z.int() }),
})
