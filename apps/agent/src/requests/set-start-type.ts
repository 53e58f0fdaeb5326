import { changeService } from './change-service.ts'
import { defineQuestion } from './question.ts'

export const setStartType = defineQuestion('set-start-type', ({ name, start_type }, context) =>
  changeService(name, context, (tools) => tools.setStartType(name, start_type)),
)
