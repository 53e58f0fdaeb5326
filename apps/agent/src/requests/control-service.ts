import { changeService } from './change-service.ts'
import { defineQuestion } from './question.ts'

export const controlService = defineQuestion('control-service', ({ name, action }, context) =>
  changeService(name, context, (tools) => tools.control(name, action)),
)
