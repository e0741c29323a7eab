import { approveBatch } from './batch-approve.ts'
import { cancelBatch } from './batch-cancel.ts'
import { createBatch } from './batch-create.ts'
import { listBatchLines } from './batch-lines.ts'
import { listBatches } from './batch-list.ts'
import { readBatch } from './batch-read.ts'
import { downloadBatchResult } from './batch-result.ts'
import { submitBatch } from './batch-submit.ts'
import { downloadBatchTemplate } from './batch-template.ts'
import type { DashboardRoute } from './dashboard-route.ts'

export const batchRoutes: readonly DashboardRoute[] = [
  createBatch,
  listBatches,
  downloadBatchTemplate,
  readBatch,
  listBatchLines,
  downloadBatchResult,
  submitBatch,
  approveBatch,
  cancelBatch,
]
