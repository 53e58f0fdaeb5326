import type { Kysely } from 'kysely'

export const name = '0021-custom-alert-templates'
export const changesData = true

interface Tables {
  alert_templates: { id: number; settings: string }
}

/** Templates can cover alerts that come through the API. Existing templates keep ignoring them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `as`: the table at this migration.
  const tables = db as Kysely<Tables>
  for (const { id, settings } of await tables.selectFrom('alert_templates').selectAll().execute()) {
    const known = JSON.parse(settings) as object
    await tables
      .updateTable('alert_templates')
      .set({ settings: JSON.stringify({ ...known, ...NOTHING }) })
      .where('id', '=', id)
      .execute()
  }
}

const NOTHING = {
  custom_always_email: null,
  custom_always_text: null,
  custom_always_alert: null,
  custom_email_on_resolved: null,
  custom_text_on_resolved: null,
  custom_email_alert_severity: [],
  custom_text_alert_severity: [],
  custom_dashboard_alert_severity: [],
  custom_periodic_alert_minutes: null,
  custom_script_actions: false,
}
