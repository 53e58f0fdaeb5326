import { ActionIcon, Button, Checkbox } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { useMay } from '../../../app/api/queries.ts'
import { shellsOf } from '../../runs/run-form.ts'
import { type ActionForm, newAction } from '../task-form.ts'
import { CommandFields } from './CommandFields.tsx'
import { ResultField } from './ResultField.tsx'
import { ScriptFields } from './ScriptFields.tsx'
import { Section } from './Section.tsx'
import classes from './TaskFields.module.css'
import type { TaskFieldsProps } from './form-props.ts'

const MOST = 20

/** What a task does, step by step. */
export function ActionList({ agent, form }: TaskFieldsProps) {
  const mayListScripts = useMay('can_list_scripts')
  const { actions } = form.values
  const add = (type: ActionForm['type']) =>
    form.insertListItem('actions', newAction(type, shellsOf(agent.plat)[0]?.value ?? 'sh'))
  const said = form.errors.actions
  return (
    <Section title="What it does">
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
      {actions.length < MOST && (
        <div className={classes.buttons}>
          {mayListScripts && <AddButton label="Add script" onClick={() => add('script')} />}
          <AddButton label="Add command" onClick={() => add('cmd')} />
        </div>
      )}
      {actions.length > 1 && (
        <Checkbox
          label="Go on with the next action when one fails"
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
