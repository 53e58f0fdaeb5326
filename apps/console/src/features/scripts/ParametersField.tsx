import { ActionIcon, Button, Checkbox, Input, Select, TextInput } from '@mantine/core'
import type { ScriptParameter } from '@muster/contract/api/scripts'
import {
  PARAMETER_TYPES,
  type ParameterType,
  parameterVariable,
} from '@muster/rules/agents/script-parameters'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useId } from 'react'
import classes from './ScriptEditor.module.css'

const TYPE_LABELS: Record<ParameterType, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  choice: 'Choice',
  secret: 'Secret (key store)',
}
const MAX_PARAMETERS = 50

interface ParametersFieldProps {
  values: readonly ScriptParameter[]
  error: string | undefined
  onChange: (values: ScriptParameter[]) => void
}

/** The parameters that a script declares. */
export function ParametersField({ values, error, onChange }: ParametersFieldProps) {
  const labelId = useId()
  const change = (index: number, parts: Partial<ScriptParameter>) =>
    onChange(values.map((one, at) => (at === index ? { ...one, ...parts } : one)))
  return (
    <div role="group" aria-labelledby={labelId}>
      <Input.Label component="span" id={labelId}>
        Parameters
      </Input.Label>
      <Input.Description mb={4}>The script reads each as an environment variable.</Input.Description>
      {values.map((parameter, index) => (
        <ParameterEditor
          key={index}
          place={index + 1}
          parameter={parameter}
          onChange={(parts) => change(index, parts)}
          onRemove={() => onChange(values.filter((_, at) => at !== index))}
        />
      ))}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
      {values.length < MAX_PARAMETERS && (
        <Button
          variant="default"
          size="xs"
          mt={4}
          leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
          onClick={() =>
            onChange([
              ...values,
              { name: '', type: 'text', description: '', required: false, default: '', choices: [] },
            ])
          }
        >
          Add parameter
        </Button>
      )}
    </div>
  )
}

interface ParameterEditorProps {
  /** From 1. */
  place: number
  parameter: ScriptParameter
  onChange: (parts: Partial<ScriptParameter>) => void
  onRemove: () => void
}

function ParameterEditor({ place, parameter, onChange, onRemove }: ParameterEditorProps) {
  const { name, type, required, description, choices } = parameter
  return (
    <div className={classes.parameter} role="group" aria-label={`Parameter ${place}`}>
      <div className={classes.parameterHead}>
        <TextInput
          aria-label="Name"
          placeholder="Name"
          classNames={{ input: 'mono' }}
          maxLength={64}
          value={name}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
        <Select
          aria-label="Type"
          data={PARAMETER_TYPES.map((value) => ({ value, label: TYPE_LABELS[value] }))}
          allowDeselect={false}
          value={type}
          // Chosen from PARAMETER_TYPES.
          onChange={(next) => next !== null && onChange({ type: next as ParameterType, default: '' })}
        />
        <ActionIcon aria-label={`Remove parameter ${place}`} onClick={onRemove}>
          <IconX size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </div>
      <TextInput
        aria-label="Description"
        placeholder="Description"
        maxLength={500}
        value={description}
        onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
      />
      {type === 'choice' && (
        <TextInput
          aria-label="Choices"
          placeholder="Choices, separated by commas"
          defaultValue={choices.join(', ')}
          onChange={({ currentTarget }) => onChange({ choices: readChoices(currentTarget.value) })}
        />
      )}
      {type !== 'secret' && (
        <TextInput
          aria-label="Default"
          placeholder={type === 'boolean' ? 'Default: true or false' : 'Default'}
          maxLength={5000}
          value={parameter.default}
          onChange={({ currentTarget }) => onChange({ default: currentTarget.value })}
        />
      )}
      <div className={classes.line}>
        <Checkbox
          size="xs"
          label="Needs a value"
          checked={required}
          onChange={({ currentTarget }) => onChange({ required: currentTarget.checked })}
        />
        {name !== '' && <span className="dim mono">{parameterVariable(name)}</span>}
      </div>
    </div>
  )
}

function readChoices(text: string): string[] {
  return text
    .split(',')
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '')
}
