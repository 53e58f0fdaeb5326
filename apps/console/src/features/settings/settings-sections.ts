import type { Me } from '@muster/contract/api/users'
import type { Permission } from '@muster/contract/permissions'
import type { ComponentType } from 'react'
import { may } from '../../app/api/queries.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { ACCESS_FIELDS } from '../remote/access/access-form.ts'
import { UPDATE_FIELDS } from '../updates/update-labels.ts'
import { PREFERENCE_FIELDS } from '../users/preferences-form.ts'
import {
  GENERAL_FIELDS,
  HISTORY_FIELDS,
  MONITORING_FIELDS,
  RECORD_FIELDS,
  RECORDING_FIELDS,
  SERVER_FIELDS,
  type SettingField,
  VNC_FIELDS,
} from './settings-fields.ts'

export interface SettingsSection {
  /** In the address: `/settings/retention`. */
  name: string
  title: string
  group: string
  needs?: Permission
  /** Its fields by name, in their order on screen. */
  fields: Readonly<Record<string, SettingField>>
  Part: ComponentType
}

type CoreFile = typeof import('./CoreSections.tsx')

const corePart = (pick: (file: CoreFile) => ComponentType) =>
  lazyPart(() => import('./CoreSections.tsx').then(pick))

const VIEW = 'can_view_core_settings'

const SECTIONS: readonly SettingsSection[] = [
  {
    name: 'preferences',
    title: 'Preferences',
    group: 'Your account',
    fields: PREFERENCE_FIELDS,
    Part: lazyPart(() => import('../users/PreferencesSection.tsx').then((file) => file.PreferencesSection)),
  },
  {
    name: 'general',
    title: 'General',
    group: 'Server',
    needs: VIEW,
    fields: { ...GENERAL_FIELDS, ...SERVER_FIELDS },
    Part: corePart((file) => file.GeneralSection),
  },
  {
    name: 'monitoring',
    title: 'Monitoring',
    group: 'Server',
    needs: VIEW,
    fields: MONITORING_FIELDS,
    Part: corePart((file) => file.MonitoringSection),
  },
  {
    name: 'retention',
    title: 'Retention',
    group: 'Server',
    needs: VIEW,
    fields: { ...HISTORY_FIELDS, ...RECORD_FIELDS },
    Part: corePart((file) => file.RetentionSection),
  },
  {
    name: 'remote-access',
    title: 'Remote access',
    group: 'All machines',
    needs: 'can_manage_remote_access',
    fields: ACCESS_FIELDS,
    Part: lazyPart(() =>
      import('../remote/access/RemoteAccessDialog.tsx').then((file) => file.RemoteAccessSection),
    ),
  },
  {
    name: 'recordings',
    title: 'Recordings',
    group: 'All machines',
    needs: VIEW,
    fields: RECORDING_FIELDS,
    Part: corePart((file) => file.RecordingsSection),
  },
  {
    name: 'vnc',
    title: 'VNC from machines',
    group: 'All machines',
    needs: VIEW,
    fields: VNC_FIELDS,
    Part: corePart((file) => file.VncSection),
  },
  {
    name: 'agent-updates',
    title: 'Agent updates',
    group: 'All machines',
    needs: 'can_update_agents',
    fields: UPDATE_FIELDS,
    Part: lazyPart(() =>
      import('../updates/UpdateSettingsDialog.tsx').then((file) => file.UpdateSettingsSection),
    ),
  },
]

export const findSection = (name: string): SettingsSection | undefined =>
  SECTIONS.find((section) => section.name === name)

export const isVisible = ({ needs }: SettingsSection, me: Me): boolean =>
  needs === undefined || may(me, needs)

/** The sections that the user may open. */
export const visibleSections = (me: Me): SettingsSection[] =>
  SECTIONS.filter((section) => isVisible(section, me))

export interface SettingHit {
  section: SettingsSection
  /** A field's name in the form. */
  field: string
  label: string
  description: string | undefined
}

/** The fields of these sections whose label, help text or section match every word of the text. */
export function findSettings(sections: readonly SettingsSection[], text: string): SettingHit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return sections.flatMap((section) =>
    Object.entries(section.fields)
      .map(([field, { label, description }]) => ({ section, field, label, description }))
      .filter(({ label, description = '' }) => {
        const all = `${label}\n${description}`.toLowerCase()
        return words.every((word) => all.includes(word) || section.title.toLowerCase().startsWith(word))
      }),
  )
}
