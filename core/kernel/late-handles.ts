import { type Dispatch, GatewayError, type GuardrailJudge, type Mailer, type Prices } from "#contract";

/** Handles of plugins that the pipeline gives, which is made of the finished generation. */
export interface PipelineHandles {
  readonly guard: GuardrailJudge;
  readonly dispatch: Dispatch;
  readonly prices: Prices;
}

/** Plugins hold them from their setup on; they answer once the generation serves, and not in one that is only looked at. */
export class LateHandles {
  #handles: PipelineHandles | undefined;
  #mailer: Mailer | undefined;

  readonly guard: GuardrailJudge = { judge: (...question) => this.#opened.guard.judge(...question) };
  readonly dispatch: Dispatch = async (ask, as) => this.#opened.dispatch(ask, as);
  readonly mail: Mailer = { send: async (mail) => (this.#mailer ?? notReady()).send(mail) };
  readonly prices: Prices = { of: (providerId, model) => this.#opened.prices.of(providerId, model) };

  /** The stores are open, and every way out for mail is known. */
  openMail(mailer: Mailer): void {
    this.#mailer = mailer;
  }
  open(handles: PipelineHandles): void {
    this.#handles = handles;
  }
  get #opened(): PipelineHandles {
    return this.#handles ?? notReady();
  }
}
function notReady(): never {
  throw new GatewayError("NOT_READY", { why: "the plugins of this gateway serve no requests yet" });
}
