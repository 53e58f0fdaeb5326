import { Select, TextInput } from '@mantine/core'
import { listScripts } from '@muster/contract/api/scripts'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { query } from '../../../app/api/api.ts'
import { useDashInfo } from '../../../app/api/queries.ts'
import { useQueryPane } from '../../../app/dialogs/use-query-pane.tsx'
import { EnvironmentFields } from '../../scripts/EnvironmentFields.tsx'
import { ArgumentsField, NoScripts } from '../../scripts/ScriptFieldset.tsx'
import { groupScripts } from '../../runs/run-form.ts'
import { asTexts } from '../check-form.ts'
import { FIELD_LABELS } from '../field-labels.ts'
import { ThresholdPreview } from '../ThresholdPreview.tsx'
import { type FieldsProps, WholeNumber } from './FieldParts.tsx'
import { MetricFields } from './MetricFields.tsx'

const CODES = [
  { name: 'info_return_codes', description: undefined },
  { name: 'warning_return_codes', description: undefined },
  { name: 'success_return_codes', description: 'All others are errors.' },
] as const

export function ScriptFields(props: FieldsProps) {
  const { agent, check, form } = props
  const showCommunity = useDashInfo()?.show_community_scripts !== false
  const options = query(listScripts, { query: { showCommunityScripts: showCommunity ? 'true' : 'false' } })
  const { data: scripts, instead } = useQueryPane(options, {
    needs: 'can_list_scripts',
    refused: 'Your role does not allow you to see scripts.',
  })
  if (scripts === undefined) return instead
  if (scripts.length === 0) return <NoScripts />
  const script = scripts.find(({ id }) => `${id}` === form.values.script)
  const choose = (next: string | null) => {
    const chosen = scripts.find(({ id }) => `${id}` === next)
    form.setFieldValue('script', next)
    if (chosen === undefined) return
    // The script's suggestions; arguments of another script do not fit.
    form.setFieldValue('script_args', chosen.args)
    form.setFieldValue('env_vars', completeParameters(chosen.parameters, chosen.env_vars).env_vars)
    form.setFieldValue('timeout', Math.min(3600, chosen.default_timeout))
  }
  return (
    <>
      <Select
        label={FIELD_LABELS.script}
        placeholder="Choose a script"
        data={groupScripts(scripts, agent.plat ?? undefined)}
        description={describeScript(script?.description, check?.script_name)}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No matching script for this platform"
        maxDropdownHeight={320}
        // Scripts may load after the dialog has set its initial focus.
        data-autofocus
        autoFocus
        {...form.getInputProps('script')}
        onChange={choose}
      />
      <ArgumentsField
        label={FIELD_LABELS.script_args}
        description={script?.syntax}
        values={asTexts(form.values.script_args)}
        onChange={(values) => form.setFieldValue('script_args', values)}
      />
      <EnvironmentFields
        parameters={script?.parameters}
        values={asTexts(form.values.env_vars)}
        onChange={(values) => form.setFieldValue('env_vars', values)}
      />
      <WholeNumber form={form} name="timeout" suffix=" s" />
      {CODES.map(({ name, description }) => (
        <TextInput
          key={name}
          label={FIELD_LABELS[name]}
          description={description}
          placeholder="1, 2"
          autoComplete="off"
          {...form.getInputProps(name)}
        />
      ))}
      <MetricFields form={form} />
      <ThresholdPreview {...props} />
    </>
  )
}

function describeScript(description: string | undefined, savedName: string | null | undefined) {
  if (savedName === null) return 'The script of this check was deleted from the library.'
  return description === '' ? undefined : description
}
