import { sql } from 'kysely'
import { idColumn, instantColumn, jsonColumn } from '../columns.ts'
import type { Migration } from '../migrate.ts'

/** Records who used a remote tool on which machine, and when. */
export const remoteSessions: Migration = {
  name: '0028-remote-sessions',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('remote_sessions')
      .addColumn('id', 'text', (col) => col.primaryKey())
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('tool', 'text', (col) => col.notNull())
      .addColumn('user_id', 'integer', (col) => col.notNull())
      .addColumn('username', 'text', (col) => col.notNull())
      .addColumn('ip_address', 'text', (col) => col.notNull())
      .addColumn('session_digest', 'text', (col) => col.notNull())
      .addColumn('started_at', 'text', (col) => col.notNull())
      .addColumn('ended_at', 'text')
      .addColumn('exit_code', 'integer')
      .addColumn('reason', 'text')
      .execute()
    await db.schema
      .createIndex('remote_sessions_agent')
      .on('remote_sessions')
      .columns(['agent_id', 'ended_at'])
      .execute()
  },
}

/**
 * Installed software. Most machines share packages: each version is stored once, and machines reference it by narrow
 * rows, some millions at ten thousand machines.
 */
export const software: Migration = {
  name: '0029-software',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('software_packages')
      .addColumn('id', ...idColumn(engine))
      .addColumn('digest', 'text', (col) => col.notNull().unique())
      .addColumn('title', 'text', (col) => col.notNull())
      .addColumn('name', 'text', (col) => col.notNull())
      .addColumn('publisher', 'text', (col) => col.notNull())
      .addColumn('source', 'text', (col) => col.notNull())
      .addColumn('version', 'text', (col) => col.notNull())
      .addColumn('search_text', 'text', (col) => col.notNull())
      // Sorts the same on both engines.
      .addColumn('sort_name', engine === 'postgres' ? sql`text collate "C"` : 'text', (col) => col.notNull())
      .execute()
    await db.schema.createIndex('software_packages_title').on('software_packages').column('title').execute()
    const machineSoftware = db.schema
      .createTable('machine_software')
      .addColumn('agent', 'integer', (col) => col.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('package', 'integer', (col) => col.notNull().references('software_packages.id'))
      .addColumn('size', 'bigint')
      .addColumn('install_date', 'text')
      .addColumn('uninstall', 'text')
      .addPrimaryKeyConstraint('machine_software_key', ['agent', 'package'])
    await (engine === 'sqlite' ? machineSoftware.modifyEnd(sql`without rowid`) : machineSoftware).execute()
    await db.schema
      .createIndex('machine_software_package')
      .on('machine_software')
      .columns(['package', 'agent'])
      .execute()
    await db.schema
      .createTable('software_inventories')
      .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
      .addColumn('hash', 'text', (col) => col.notNull())
      .addColumn('left_out', 'integer', (col) => col.notNull())
      .addColumn('looked_at', ...instantColumn())
      .addColumn('changed_at', ...instantColumn())
      .execute()
  },
}

/** Recordings of sessions. Their content is stored in files. */
export const remoteRecordings: Migration = {
  name: '0032-remote-recordings',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('remote_recordings')
      .addColumn('id', 'text', (col) => col.primaryKey())
      .addColumn('session_id', 'text', (col) =>
        col.notNull().references('remote_sessions.id').onDelete('cascade'),
      )
      .addColumn('started_at', 'text', (col) => col.notNull())
      .addColumn('bytes', 'bigint', (col) => col.notNull())
      .addColumn('milliseconds', 'bigint')
      .addColumn('problem', 'text')
      .execute()
    await db.schema
      .createIndex('remote_recordings_session')
      .on('remote_recordings')
      .columns(['session_id'])
      .execute()
    await db.schema
      .createIndex('remote_recordings_started')
      .on('remote_recordings')
      .columns(['started_at'])
      .execute()
  },
}

/** Remote access settings of clients, sites, machines and the default. */
export const remoteAccess: Migration = {
  name: '0034-remote-access',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('remote_access')
      .addColumn('place', 'text', (col) => col.primaryKey())
      .addColumn('client_id', 'integer', (col) => col.references('clients.id').onDelete('cascade'))
      .addColumn('site_id', 'integer', (col) => col.references('sites.id').onDelete('cascade'))
      .addColumn('agent_id', 'text', (col) => col.references('agents.agent_id').onDelete('cascade'))
      .addColumn('settings', 'text', (col) => col.notNull())
      .execute()
    for (const column of ['client_id', 'site_id', 'agent_id'])
      await db.schema.createIndex(`remote_access_${column}`).on('remote_access').columns([column]).execute()
  },
}

/** Roles can require a second factor before remote tools. Sessions record when they last passed one. */
export const codeBeforeTools: Migration = {
  name: '0035-code-before-tools',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('roles')
      .addColumn('require_2fa_for_remote', 'integer', (col) => col.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('sessions').addColumn('code_at', 'text').execute()
  },
}

/** Actions that machines run later. */
export const pendingActions: Migration = {
  name: '0036-pending-actions',
  changesData: false,
  async up(db, engine) {
    await db.schema
      .createTable('pending_actions')
      .addColumn('id', ...idColumn(engine))
      .addColumn('agent_id', 'text', (col) => col.notNull().references('agents.agent_id').onDelete('cascade'))
      .addColumn('action_type', 'text', (col) => col.notNull())
      .addColumn('status', 'text', (col) => col.notNull())
      .addColumn('due', ...instantColumn())
      .addColumn('username', 'text', (col) => col.notNull())
      .addColumn('entry_time', ...instantColumn())
      .addColumn('begun_at', 'text')
      .addColumn('finished_at', 'text')
      .addColumn('output', 'text', (col) => col.notNull())
      .execute()
    await db.schema
      .createIndex('pending_actions_agent')
      .on('pending_actions')
      .columns(['agent_id', 'status'])
      .execute()
  },
}

/** A session may join another one, such as a colleague's terminal. */
export const joinedSessions: Migration = {
  name: '0037-joined-sessions',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('remote_sessions').addColumn('joined_session', 'text').execute()
  },
}

/** Changes on machines while sessions ran. */
export const remoteReceipts: Migration = {
  name: '0039-remote-receipts',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('remote_receipts')
      .addColumn('session_id', 'text', (col) =>
        col.primaryKey().references('remote_sessions.id').onDelete('cascade'),
      )
      .addColumn('stored_at', 'text', (col) => col.notNull())
      .addColumn('changes', 'integer', (col) => col.notNull())
      .addColumn('receipt', 'text', (col) => col.notNull())
      .execute()
    await db.schema
      .createIndex('remote_receipts_stored')
      .on('remote_receipts')
      .columns(['stored_at'])
      .execute()
  },
}

/** Available patches: some dozen entries per machine, always read and replaced as a whole. */
export const patches: Migration = {
  name: '0041-patches',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('machine_patches')
      .addColumn('agent', 'integer', (col) => col.primaryKey().references('agents.id').onDelete('cascade'))
      .addColumn('hash', 'text', (col) => col.notNull())
      .addColumn('patches', ...jsonColumn('[]'))
      .addColumn('pending', 'integer', (col) => col.notNull())
      .addColumn('left_out', 'integer', (col) => col.notNull())
      .addColumn('problem', 'text')
      .addColumn('looked_at', ...instantColumn())
      .addColumn('changed_at', 'text')
      .execute()
  },
}

/** Whether a machine's agent enforces the remote access rules. Assumed until it signs in. */
export const enforcesRules: Migration = {
  name: '0042-enforces-rules',
  changesData: false,
  async up(db) {
    await db.schema
      .alterTable('agents')
      .addColumn('enforces_rules', 'integer', (col) => col.notNull().defaultTo(1))
      .execute()
  },
}

/** Records who used a shell of the server, and when. */
export const webTerminals: Migration = {
  name: '0043-web-terminals',
  changesData: false,
  async up(db) {
    await db.schema
      .createTable('web_terminals')
      .addColumn('id', 'text', (col) => col.primaryKey())
      .addColumn('host', 'text', (col) => col.notNull())
      .addColumn('process_id', 'text', (col) => col.notNull())
      .addColumn('username', 'text', (col) => col.notNull())
      .addColumn('ip_address', 'text', (col) => col.notNull())
      .addColumn('started_at', 'text', (col) => col.notNull())
      .addColumn('ended_at', 'text')
      .addColumn('exit_code', 'integer')
      .addColumn('reason', 'text')
      .addColumn('recorded', 'integer', (col) => col.notNull())
      .addColumn('recording_bytes', 'bigint', (col) => col.notNull())
      .addColumn('recording_problem', 'text')
      .execute()
    await db.schema.createIndex('web_terminals_started').on('web_terminals').columns(['started_at']).execute()
  },
}

/** The reason that the user gave for opening a session. */
export const sessionPurpose: Migration = {
  name: '0044-session-purpose',
  changesData: false,
  async up(db) {
    await db.schema.alterTable('remote_sessions').addColumn('purpose', 'text').execute()
  },
}
