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
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { clientsQuery, dashInfoQuery } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { ErrorState, SkeletonRows } from '../../ui/layout/States.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { TERMINAL_THEME_LABELS } from '../remote/terminal-look.ts'
import { userColor } from '../../app/shell/look.ts'
import {
  checkPreferences,
  COLOR_SETTINGS,
  type ColorSetting,
  type PreferencesForm,
  readPreferences,
  toPreferences,
} from './preferences-form.ts'
import classes from './ColorFields.module.css'

const LABELS: Record<ColorSetting, string> = {
  dash_positive_color: 'Positive',
  dash_negative_color: 'Negative',
  dash_warning_color: 'Warning',
  dash_info_color: 'Information',
  loading_bar_color: 'Loading bar',
}

/** The user's own colours, by name or as #rrggbb, each with a preview. */
function ColorFields({ form }: { form: UseFormReturnType<PreferencesForm> }) {
  return (
    <fieldset className={classes.fields}>
      <legend>Colours</legend>
      {COLOR_SETTINGS.map((setting) => (
        <TextInput
          key={setting}
          label={LABELS[setting]}
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

/** All preferences of the console, except those set on the page itself (splitter, dark mode). */
export function PreferencesDialog({ close }: AddressedDialogProps) {
  const { data: info, error, refetch } = useQuery(dashInfoQuery)
  if (info !== undefined) return <PreferencesFormDialog info={info} close={close} />
  return (
    <Dialog title="Preferences" onClose={close}>
      {error === null ? (
        <SkeletonRows />
      ) : (
        <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
      )}
    </Dialog>
  )
}

function PreferencesFormDialog({ info, close }: { info: DashInfo; close: () => void }) {
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
    <FormDialog title="Preferences" form={form} save={save} done="Preferences saved." onClose={close}>
      <Stack gap="md">
        <Select
          label="Dashboard opens with"
          data-autofocus
          data={TABS}
          allowDeselect={false}
          {...form.getInputProps('default_agent_tbl_tab')}
        />
        <Select
          label="Order of clients"
          data={SORTS}
          allowDeselect={false}
          {...form.getInputProps('client_tree_sort')}
        />
        <Select
          label="Double click on a machine"
          data={doubleClickChoices(info.dbl_click_action)}
          allowDeselect={false}
          {...form.getInputProps('agent_dblclick_action')}
        />
        <TextInput
          label="Date format"
          description={`${formatDate(PREVIEW, date_format || info.default_date_format)} · empty for the default`}
          placeholder={info.default_date_format}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('date_format')}
        />
        <Checkbox label="Dark mode" {...form.getInputProps('dark_mode', { type: 'checkbox' })} />
        <Checkbox label="Compact rows" {...form.getInputProps('compact_rows', { type: 'checkbox' })} />
        <Checkbox
          label="Agent version in the table of machines"
          {...form.getInputProps('show_agent_version', { type: 'checkbox' })}
        />
        <Checkbox
          label="Clear the search when another client or site is selected"
          {...form.getInputProps('clear_search_when_switching', { type: 'checkbox' })}
        />
        <Checkbox
          label="Show community scripts"
          {...form.getInputProps('show_community_scripts', { type: 'checkbox' })}
        />
        <Group grow align="start">
          <Select
            label="Terminal text"
            data={TERMINAL_SIZES}
            allowDeselect={false}
            value={String(form.values.terminal_font_size)}
            onChange={(size) => form.setFieldValue('terminal_font_size', Number(size))}
          />
          <Select
            label="Terminal theme"
            data={TERMINAL_LOOKS}
            allowDeselect={false}
            {...form.getInputProps('terminal_theme')}
          />
        </Group>
        <ColorFields form={form} />
      </Stack>
    </FormDialog>
  )
}

/** A date whose day, month, hour and minute all differ, so that every token looks different. */
const PREVIEW = new Date(2026, 10, 23, 14, 5).toISOString()

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
  urlaction: 'Run a URL action (not in this version)',
} satisfies Record<DashInfo['dbl_click_action'], string>

/** Choices that work in this version, and the user's current one. */
function doubleClickChoices(chosen: DashInfo['dbl_click_action']) {
  return [...new Set(['editagent', 'takecontrol', 'remotebg', chosen] as const)].map((value) => ({
    value,
    label: DOUBLE_CLICK[value],
  }))
}

function mergePreferences(info: DashInfo, { agent_dblclick_action, ...saved }: Preferences): DashInfo {
  return { ...info, ...saved, dbl_click_action: agent_dblclick_action }
}
