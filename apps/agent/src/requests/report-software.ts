import { defineQuestion } from './question.ts'

export const reportSoftware = defineQuestion('report-software', (_, { software }) => software.reportAll())
