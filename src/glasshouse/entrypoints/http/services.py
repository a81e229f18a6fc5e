"""How routes come by the services that the application was built with."""

from typing import Annotated

from fastapi import Depends, Request

from glasshouse.bootstrap import Services


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Of = Annotated[Services, Depends(_services)]
