import type { UseFormReturnType } from '@mantine/form'
import type { TaskForm } from '../task-form.ts'
import type { TaskPlace } from './task-place.ts'

export interface TaskFieldsProps {
  agent: TaskPlace
  form: UseFormReturnType<TaskForm>
}
