import '@mantine/core/styles/NumberInput.css'
import { ActionIcon, Button, Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { listScripts } from '@muster/contract/api/scripts'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { useDashInfo, useMay } from '../../../app/api/queries.ts'
import { groupScripts, shellsOf } from '../../runs/run-form.ts'
import { type ActionForm, newAction } from '../task-form.ts'
import { fieldsQuery, groupFields } from '../../custom-fields/field-form.ts'
import { query } from '../../../app/api/api.ts'
import { useQueryPane } from '../../../app/dialogs/use-query-pane.tsx'
import { EnvironmentFields } from '../../scripts/EnvironmentFields.tsx'
import { ArgumentsField } from '../../scripts/ScriptFieldset.tsx'
import { Section, type TaskFieldsProps } from './GeneralFields.tsx'
import classes from './TaskFields.module.css'

const MAX_COUNT = 20

/** The actions of a task, in order. */
export function ActionList({ agent, form }: TaskFieldsProps) {
  const mayListScripts = useMay('can_list_scripts')
  const { actions } = form.values
  const add = (type: ActionForm['type']) =>
    form.insertListItem('actions', newAction(type, shellsOf(agent.plat)[0]?.value ?? 'sh'))
  const said = form.errors.actions
  return (
    <Section title="Actions">
      <ol className={classes.actions} aria-label="Actions">
        {actions.map((action, index) => (
          <li key={action.key} className={classes.action}>
            <ActionHead form={form} index={index} action={action} />
            {action.type === 'script' ? (
              <ScriptFields agent={agent} form={form} index={index} />
            ) : (
              <CommandFields agent={agent} form={form} index={index} />
            )}
          </li>
        ))}
      </ol>
      {said != null && actions.length === 0 && <p className={classes.error}>{said}</p>}
      {actions.length < MAX_COUNT && (
        <div className={classes.buttons}>
          {mayListScripts && <AddButton label="Add script" onClick={() => add('script')} />}
          <AddButton label="Add command" onClick={() => add('cmd')} />
        </div>
      )}
      {actions.length > 1 && (
        <Checkbox
          label="Continue with the next action after a failure"
          {...form.getInputProps('continue_on_error', { type: 'checkbox' })}
        />
      )}
      <ResultField form={form} />
    </Section>
  )
}

function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      variant="default"
      leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

interface ActionHeadProps extends Pick<TaskFieldsProps, 'form'> {
  index: number
  action: ActionForm
}

function ActionHead({ form, index, action }: ActionHeadProps) {
  const place = index + 1
  const last = form.values.actions.length - 1
  const move = (to: number) => form.reorderListItem('actions', { from: index, to })
  return (
    <div className={classes.actionHead}>
      <h4 className={classes.actionTitle}>
        {place}. {action.type === 'script' ? 'Script' : 'Command'}
      </h4>
      {last > 0 && (
        <>
          <ActionIcon
            aria-label={`Move action ${place} up`}
            disabled={index === 0}
            onClick={() => move(index - 1)}
          >
            <IconArrowUp size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
          <ActionIcon
            aria-label={`Move action ${place} down`}
            disabled={index === last}
            onClick={() => move(index + 1)}
          >
            <IconArrowDown size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </>
      )}
      <ActionIcon aria-label={`Remove action ${place}`} onClick={() => form.removeListItem('actions', index)}>
        <IconX size={16} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  )
}

/** The custom field that stores the task's output. */
function ResultField({ form }: Pick<TaskFieldsProps, 'form'>) {
  const mayView = useMay('can_view_customfields')
  const { data: fields = [], isSuccess } = useQuery({ ...fieldsQuery, enabled: mayView })
  const chosen = form.values.custom_field
  const isGone = isSuccess && chosen !== null && !fields.some(({ id }) => `${id}` === chosen)
  const groups = groupFields(fields)
  return (
    <>
      <Select
        label="Store result in custom field"
        description={
          mayView
            ? isGone
              ? 'The selected custom field was deleted.'
              : 'Taken from successful runs only. A run that prints to stderr counts as failed.'
            : 'Your role does not allow you to see custom fields.'
        }
        placeholder={mayView && fields.length === 0 ? 'No custom fields yet' : 'None'}
        data={groups}
        disabled={!mayView}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear custom field' }}
        nothingFoundMessage="No matching custom field"
        {...form.getInputProps('custom_field')}
      />
      {chosen !== null && (
        <Checkbox
          label="Store the whole output instead of the last line"
          disabled={!mayView}
          {...form.getInputProps('collector_all_output', { type: 'checkbox' })}
        />
      )}
    </>
  )
}

function ScriptFields({ agent, form, index }: TaskFieldsProps & { index: number }) {
  const showCommunity = useDashInfo()?.show_community_scripts !== false
  const options = query(listScripts, { query: { showCommunityScripts: showCommunity ? 'true' : 'false' } })
  const { data: scripts, instead } = useQueryPane(options, {
    needs: 'can_list_scripts',
    refused: 'Your role does not allow you to see scripts.',
  })
  const action = form.values.actions[index]
  if (action === undefined) return null
  if (scripts === undefined) return instead
  const path = (name: string) => `actions.${index}.${name}`
  const chosen = scripts.find(({ id }) => `${id}` === action.script)
  const choose = (next: string | null) => {
    const script = scripts.find(({ id }) => `${id}` === next)
    form.setFieldValue(path('script'), next)
    if (script === undefined) return
    // The script's suggestions; arguments of another script do not fit.
    form.setFieldValue(path('script_args'), script.args)
    form.setFieldValue(path('env_vars'), completeParameters(script.parameters, script.env_vars).env_vars)
    form.setFieldValue(path('timeout'), script.default_timeout)
  }
  return (
    <>
      <Select
        label="Script"
        placeholder="Choose a script"
        data={groupScripts(scripts, agent.plat ?? undefined)}
        description={
          action.name === ''
            ? 'The script of this action was deleted from the library.'
            : chosen?.description || undefined
        }
        searchable
        allowDeselect={false}
        nothingFoundMessage={scripts.length === 0 ? 'No scripts yet' : 'No matching script for this platform'}
        maxDropdownHeight={280}
        {...form.getInputProps(path('script'))}
        onChange={choose}
      />
      <ArgumentsField
        description={chosen?.syntax}
        values={action.script_args}
        onChange={(values) => form.setFieldValue(path('script_args'), values)}
      />
      <EnvironmentFields
        parameters={chosen?.parameters}
        values={action.env_vars}
        onChange={(values) => form.setFieldValue(path('env_vars'), values)}
      />
      <Timeout form={form} name={path('timeout')} />
    </>
  )
}

function CommandFields({ agent, form, index }: TaskFieldsProps & { index: number }) {
  const path = (name: string) => `actions.${index}.${name}`
  return (
    <>
      <Textarea
        label="Command"
        classNames={{ input: 'mono' }}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={100_000}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps(path('command'))}
      />
      <div className={classes.pair}>
        <Select
          label="Shell"
          data={shellsOf(agent.plat)}
          allowDeselect={false}
          {...form.getInputProps(path('shell'))}
        />
        <Timeout form={form} name={path('timeout')} />
      </div>
      {form.values.actions[index]?.shell === 'custom' && (
        <TextInput
          label="Shell path"
          classNames={{ input: 'mono' }}
          maxLength={1000}
          {...form.getInputProps(path('custom_shell'))}
        />
      )}
    </>
  )
}

function Timeout({ form, name }: Pick<TaskFieldsProps, 'form'> & { name: string }) {
  return (
    <NumberInput
      label="Time limit"
      suffix=" s"
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(name)}
    />
  )
}
