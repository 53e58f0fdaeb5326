import { Select } from '@mantine/core'
import { listScripts } from '@muster/contract/api/scripts'
import { useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../../app/api/api.ts'
import { useDashInfo, useMay } from '../../../app/api/queries.ts'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import { ArgumentsField } from '../../scripts/ArgumentsField.tsx'
import { NoPermission } from '../../../ui/layout/States.tsx'
import { checkVariable, groupScripts } from '../../runs/run-form.ts'
import { Timeout } from './CommandFields.tsx'
import type { TaskFieldsProps } from './form-props.ts'

export function ScriptFields({ agent, form, index }: TaskFieldsProps & { index: number }) {
  const mayList = useMay('can_list_scripts')
  const showCommunity = useDashInfo()?.show_community_scripts !== false
  const options = query(listScripts, { query: { showCommunityScripts: showCommunity ? 'true' : 'false' } })
  const { data: scripts, error, refetch } = useQuery({ ...options, enabled: mayList })
  const action = form.values.actions[index]
  if (action === undefined) return null
  if (!mayList) return <NoPermission message="Your role does not allow you to see scripts." />
  if (scripts === undefined) return <LoadingState error={error} onRetry={() => void refetch()} />
  const path = (name: string) => `actions.${index}.${name}`
  const chosen = scripts.find(({ id }) => `${id}` === action.script)
  const choose = (next: string | null) => {
    const script = scripts.find(({ id }) => `${id}` === next)
    form.setFieldValue(path('script'), next)
    if (script === undefined) return
    // What the script suggests; what was written for another one does not fit this one.
    form.setFieldValue(path('script_args'), script.args)
    form.setFieldValue(path('env_vars'), script.env_vars)
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
            ? 'The script of this action is not in the library any more.'
            : chosen?.description || undefined
        }
        searchable
        allowDeselect={false}
        nothingFoundMessage={
          scripts.length === 0 ? 'There are no scripts yet' : 'No such script for this platform'
        }
        maxDropdownHeight={280}
        {...form.getInputProps(path('script'))}
        onChange={choose}
      />
      <ArgumentsField
        description={chosen?.syntax}
        values={action.script_args}
        onChange={(values) => form.setFieldValue(path('script_args'), values)}
      />
      <ListField
        label="Environment variables"
        noun="variable"
        placeholder="NAME=value"
        values={action.env_vars}
        check={checkVariable}
        onChange={(values) => form.setFieldValue(path('env_vars'), values)}
      />
      <Timeout form={form} name={path('timeout')} />
    </>
  )
}
