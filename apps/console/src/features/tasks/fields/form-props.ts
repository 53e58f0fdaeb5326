import type { UseFormReturnType } from '@mantine/form'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { TaskForm } from '../task-form.ts'

export interface TaskFieldsProps {
  agent: AgentDetail
  form: UseFormReturnType<TaskForm>
}
