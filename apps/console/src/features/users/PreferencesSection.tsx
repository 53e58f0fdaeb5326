import { Checkbox, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import type { DashInfo } from '@muster/contract/api/system'
import {
  type Preferences,
  savePreferences,
  TERMINAL_FONT_SIZES,
  TerminalTheme,
} from '@muster/contract/api/users'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FormSection } from '../../app/dialogs/FormSection.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import { clientsQuery, dashInfoQuery } from '../../app/api/queries.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { TERMINAL_THEME_LABELS } from '../remote/terminal-look.ts'
import { UrlActionSelect } from '../url-actions/UrlActionSelect.tsx'
import { userColor } from '../../app/shell/look.ts'
import {
  checkPreferences,
  COLOR_SETTINGS,
  PREFERENCE_FIELDS,
  type PreferencesForm,
  readPreferences,
  toPreferences,
} from './preferences-form.ts'
import classes from './ColorFields.module.css'

/** The user's own colours, by name or as #rrggbb, each with a preview. */
function ColorFields({ form }: { form: UseFormReturnType<PreferencesForm> }) {
  return (
    <fieldset className={classes.fields}>
      <legend>Colours</legend>
      {COLOR_SETTINGS.map((setting) => (
        <TextInput
          key={setting}
          {...PREFERENCE_FIELDS[setting]}
          spellCheck={false}
          autoComplete="off"
          leftSection={
            <span
              className={classes.swatch}
              style={{ background: userColor(form.values[setting], setting) }}
            />
          }
          {...form.getInputProps(setting)}
        />
      ))}
    </fieldset>
  )
}

/** All preferences of the console, except those set on the page itself (splitter, columns). */
export function PreferencesSection() {
  const { data: info, error, refetch } = useQuery(dashInfoQuery)
  if (info === undefined) return <LoadingState error={error} onRetry={() => void refetch()} />
  return <PreferencesFormSection info={info} />
}

function PreferencesFormSection({ info }: { info: DashInfo }) {
  const queryClient = useQueryClient()
  const form = useForm<PreferencesForm>({
    initialValues: readPreferences(info),
    validate: checkPreferences,
    validateInputOnChange: true,
  })
  const save = async (values: PreferencesForm) => {
    const saved: Preferences = await call(savePreferences, { body: toPreferences(values) })
    queryClient.setQueryData(dashInfoQuery.queryKey, (old) => (old ? mergePreferences(old, saved) : old))
    void queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: clientsQuery.queryKey })
  }
  const { date_format } = form.values
  return (
    <FormSection title="Preferences" form={form} save={save} done="Preferences saved.">
      <Stack gap="md">
        <Select
          {...PREFERENCE_FIELDS.start_page}
          data={START_PAGES}
          allowDeselect={false}
          {...form.getInputProps('start_page')}
        />
        <Select
          {...PREFERENCE_FIELDS.default_agent_tbl_tab}
          data={TABS}
          allowDeselect={false}
          {...form.getInputProps('default_agent_tbl_tab')}
        />
        <Select
          {...PREFERENCE_FIELDS.client_tree_sort}
          data={SORTS}
          allowDeselect={false}
          {...form.getInputProps('client_tree_sort')}
        />
        <Select
          {...PREFERENCE_FIELDS.agent_dblclick_action}
          data={DOUBLE_CLICKS}
          allowDeselect={false}
          {...form.getInputProps('agent_dblclick_action')}
        />
        {form.values.agent_dblclick_action === 'urlaction' && (
          <UrlActionSelect
            value={form.values.url_action}
            error={form.errors['url_action']}
            onChange={(id) => form.setFieldValue('url_action', id)}
          />
        )}
        <TextInput
          {...PREFERENCE_FIELDS.date_format}
          description={`${formatDate(PREVIEW, date_format || info.default_date_format)} · empty for the default`}
          placeholder={info.default_date_format}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('date_format')}
        />
        <Checkbox
          {...PREFERENCE_FIELDS.dark_mode}
          {...form.getInputProps('dark_mode', { type: 'checkbox' })}
        />
        <Checkbox
          {...PREFERENCE_FIELDS.compact_rows}
          {...form.getInputProps('compact_rows', { type: 'checkbox' })}
        />
        <Checkbox
          {...PREFERENCE_FIELDS.show_agent_version}
          {...form.getInputProps('show_agent_version', { type: 'checkbox' })}
        />
        <Checkbox
          {...PREFERENCE_FIELDS.clear_search_when_switching}
          {...form.getInputProps('clear_search_when_switching', { type: 'checkbox' })}
        />
        <Checkbox
          {...PREFERENCE_FIELDS.show_community_scripts}
          {...form.getInputProps('show_community_scripts', { type: 'checkbox' })}
        />
        <Group grow align="start">
          <Select
            {...PREFERENCE_FIELDS.terminal_font_size}
            data={TERMINAL_SIZES}
            allowDeselect={false}
            data-path="terminal_font_size"
            value={String(form.values.terminal_font_size)}
            onChange={(size) => form.setFieldValue('terminal_font_size', Number(size))}
          />
          <Select
            {...PREFERENCE_FIELDS.terminal_theme}
            data={TERMINAL_LOOKS}
            allowDeselect={false}
            {...form.getInputProps('terminal_theme')}
          />
        </Group>
        <ColorFields form={form} />
      </Stack>
    </FormSection>
  )
}

/** A date whose day, month, hour and minute all differ, so that every token looks different. */
const PREVIEW = new Date(2026, 10, 23, 14, 5).toISOString()

const START_PAGES = [
  { value: 'dashboard', label: 'Dashboard' },
  { value: 'overview', label: 'Overview' },
]
const TABS = [
  { value: 'server', label: 'Servers' },
  { value: 'workstation', label: 'Workstations' },
  { value: 'mixed', label: 'All' },
]
const TERMINAL_SIZES = Array.from(
  { length: TERMINAL_FONT_SIZES.most - TERMINAL_FONT_SIZES.least + 1 },
  (_, more) => ({
    value: `${TERMINAL_FONT_SIZES.least + more}`,
    label: `${TERMINAL_FONT_SIZES.least + more} px`,
  }),
)
const TERMINAL_LOOKS = TerminalTheme.options.map((value) => ({ value, label: TERMINAL_THEME_LABELS[value] }))
const SORTS = [
  { value: 'alphafail', label: 'Failing first, then by name' },
  { value: 'alpha', label: 'By name' },
]
const DOUBLE_CLICK = {
  editagent: 'Edit the machine',
  takecontrol: 'Take control',
  remotebg: 'Remote background',
  urlaction: 'Open a URL',
} satisfies Record<DashInfo['dbl_click_action'], string>
const DOUBLE_CLICKS = Object.entries(DOUBLE_CLICK).map(([value, label]) => ({ value, label }))

function mergePreferences(info: DashInfo, { agent_dblclick_action, ...saved }: Preferences): DashInfo {
  return { ...info, ...saved, dbl_click_action: agent_dblclick_action }
}
