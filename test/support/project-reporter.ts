import { DefaultReporter, type TestModule, type TestSpecification } from 'vitest/node'

const MS_PER_SECOND = 1000

/** If several files run and all tests pass, prints only a line per project, the skipped tests and a total. */
export class ProjectReporter extends DefaultReporter {
  readonly #unfinished = new Map<string, number>()
  #startedMs = 0
  #isShort = true

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#startedMs = performance.now()
    this.#isShort = specifications.length > 1
    this.#unfinished.clear()
    for (const { project } of specifications)
      this.#unfinished.set(project.name, (this.#unfinished.get(project.name) ?? 0) + 1)
    super.onTestRunStart(specifications)
  }

  override printTestModule(testModule: TestModule): void {
    if (!this.#isShort || testModule.state() === 'failed') super.printTestModule(testModule)
    const { name } = testModule.project
    const unfinished = (this.#unfinished.get(name) ?? 0) - 1
    this.#unfinished.set(name, unfinished)
    if (unfinished === 0) this.log(` ${name}: ${this.#summarize(this.#testModules(name))}`)
  }

  override reportTestSummary(...summary: Parameters<DefaultReporter['reportTestSummary']>): void {
    const modules = this.#testModules()
    const hasFailed = summary[1].length > 0 || modules.some((testModule) => testModule.state() === 'failed')
    if (hasFailed) super.reportTestSummary(...summary)
    else this.log(` All tests: ${this.#summarize(modules)}`)
  }

  #testModules(project?: string): TestModule[] {
    return this.ctx.state
      .getTestModules()
      .filter((testModule) => project === undefined || testModule.project.name === project)
  }

  #summarize(modules: TestModule[]): string {
    const tests = modules.flatMap((testModule) => [...testModule.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const skipped = tests.filter((test) => test.result().state === 'skipped')
    const groups = new Set(skipped.map(({ parent, name }) => (parent.type === 'suite' ? parent.name : name)))
    return [
      `${count('passed')} passed`,
      ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
      ...(skipped.length > 0 ? [`${skipped.length} skipped (${[...groups].join(', ')})`] : []),
      `after ${Math.round((performance.now() - this.#startedMs) / MS_PER_SECOND)} s`,
    ].join(', ')
  }
}
